package io.stampedeguard.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stampedeguard.codec.CodecIdentity;
import io.stampedeguard.codec.ValueCodec;
import java.nio.ByteBuffer;

/** A codec of texts with an identity of its own, of which a test replaces what it is about. */
public class TextCodec implements ValueCodec<String> {
    private final CodecIdentity identity;

    /** Creates a codec with an identity. */
    public TextCodec(String id, int version) {
        this.identity = new CodecIdentity(id, version);
    }

    @Override
    public byte[] encode(String value) {
        return value.getBytes(UTF_8);
    }

    @Override
    public String decode(ByteBuffer payload) {
        return UTF_8.decode(payload).toString();
    }

    @Override
    public CodecIdentity identity() {
        return identity;
    }
}
