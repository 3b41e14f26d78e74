package io.stampedeguard.codec;

import java.io.Serial;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** A codec of strings as UTF-8. It rejects strings with a lone surrogate instead of changing them. <em>Thread-safe.</em> */
public final class StringCodec implements ValueCodec<String> {
    private static final StringCodec UTF_8 = new StringCodec();
    private static final CodecIdentity IDENTITY = new CodecIdentity("utf8", 1);

    private StringCodec() {}

    /** {@return the codec of strings as UTF-8} */
    public static StringCodec of() {
        return UTF_8;
    }

    @Override
    public CodecIdentity identity() {
        return IDENTITY;
    }

    @Override
    public byte[] encode(String value) throws CharacterCodingException {
        ByteBuffer bytes;
        try {
            bytes = StandardCharsets.UTF_8.newEncoder().encode(java.nio.CharBuffer.wrap(value));
        } catch (CharacterCodingException e) {
            throw new LoneSurrogateException();
        }
        byte[] exact = new byte[bytes.remaining()];
        bytes.get(exact);
        return exact;
    }

    /** Java's own exception has a length in its message, and nothing else. */
    private static final class LoneSurrogateException extends CharacterCodingException {
        @Serial
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            return "the text contains half of a surrogate pair, which UTF-8 cannot represent";
        }
    }

    @Override
    public String decode(ByteBuffer payload) {
        return new String(
                payload.array(),
                payload.arrayOffset() + payload.position(),
                payload.remaining(),
                StandardCharsets.UTF_8);
    }
}
