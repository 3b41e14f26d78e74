package io.stampedeguard.codec;

import java.nio.ByteBuffer;

/** Byte arrays as they are. Each {@code get} answers an array of its own. <em>Thread-safe.</em> */
public final class BytesCodec implements ValueCodec<byte[]> {
    private static final BytesCodec INSTANCE = new BytesCodec();

    private BytesCodec() {}

    /**
     * Tells the codec.
     *
     * @return the codec
     */
    public static BytesCodec instance() {
        return INSTANCE;
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
