package io.stampedeguard.codec;

import java.nio.ByteBuffer;

/** A codec of byte arrays, stored unchanged. Each {@code get} returns its own array. <em>Thread-safe.</em> */
public final class BytesCodec implements MutableValueCodec<byte[]> {
    private static final BytesCodec INSTANCE = new BytesCodec();
    private static final CodecIdentity IDENTITY = new CodecIdentity("bytes", 1);

    private BytesCodec() {}

    /** {@return the codec} */
    public static BytesCodec of() {
        return INSTANCE;
    }

    @Override
    public CodecIdentity identity() {
        return IDENTITY;
    }

    @Override
    public byte[] copy(byte[] value) {
        return value.clone();
    }

    @Override
    public byte[] encode(byte[] value) {
        return value;
    }

    @Override
    public byte[] decode(ByteBuffer payload) {
        byte[] value = new byte[payload.remaining()];
        payload.get(payload.position(), value);
        return value;
    }
}
