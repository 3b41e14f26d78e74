package io.stampedeguard.redis.history;

import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.codec.ValueCodec;
import java.nio.ByteBuffer;

/** Strings as UTF-8, sometimes slowly. <em>Thread-safe.</em> */
record HesitantCodec(Hesitation hesitation) implements ValueCodec<String> {
    @Override
    public byte[] encode(String value) throws Exception {
        hesitation.maybe();
        return StringCodec.of().encode(value);
    }

    @Override
    public String decode(ByteBuffer bytes) throws Exception {
        hesitation.maybe();
        return StringCodec.of().decode(bytes);
    }
}
