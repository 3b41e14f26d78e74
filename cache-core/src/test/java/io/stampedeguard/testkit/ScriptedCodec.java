package io.stampedeguard.testkit;

import io.stampedeguard.codec.CodecIdentity;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.codec.ValueCodec;
import java.nio.ByteBuffer;

/**
 * A codec of texts in which something may happen before a value is encoded, and after one is decoded. <em>Thread-safe</em> if what
 * happens is.
 *
 * @param encoding happens before a value is encoded
 * @param decoded happens after a value was decoded
 */
public record ScriptedCodec(Step encoding, Step decoded) implements ValueCodec<String> {
    /** What happens to a value; if it throws, the codec does. */
    public interface Step {
        void take(String value) throws Exception;
    }

    /** Returns a codec in which something happens before a value is encoded. */
    public static ScriptedCodec encoding(Step step) {
        return new ScriptedCodec(step, value -> {});
    }

    /** Returns a codec in which something happens after a value was decoded. */
    public static ScriptedCodec decoding(Step step) {
        return new ScriptedCodec(value -> {}, step);
    }

    @Override
    public byte[] encode(String value) throws Exception {
        encoding.take(value);
        return StringCodec.of().encode(value);
    }

    @Override
    public String decode(ByteBuffer payload) throws Exception {
        String value = StringCodec.of().decode(payload);
        decoded.take(value);
        return value;
    }

    @Override
    public CodecIdentity identity() {
        return StringCodec.of().identity();
    }
}
