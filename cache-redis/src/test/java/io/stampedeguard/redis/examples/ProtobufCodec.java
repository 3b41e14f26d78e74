package io.stampedeguard.redis.examples;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import io.stampedeguard.codec.CodecIdentity;
import io.stampedeguard.codec.ValueCodec;
import java.nio.ByteBuffer;

/**
 * A codec of the messages of one type of Protocol Buffers. Older and newer processes read each other's messages by the rules of that
 * format, so the version stays as it is unless these are broken. <em>Thread-safe.</em>
 */
public final class ProtobufCodec<M extends Message> implements ValueCodec<M> {
    private final Parser<M> parser;
    private final CodecIdentity identity;

    /** Creates a codec, of {@code Product.getDefaultInstance()} for example. */
    @SuppressWarnings("unchecked") // the parser of a generated class has the type of its messages
    public ProtobufCodec(M defaultInstance) {
        parser = (Parser<M>) defaultInstance.getParserForType();
        identity = new CodecIdentity(
                "protobuf:" + defaultInstance.getDescriptorForType().getFullName(), 1);
    }

    @Override
    public CodecIdentity identity() {
        return identity;
    }

    @Override
    public byte[] encode(M message) {
        return message.toByteArray();
    }

    @Override
    public M decode(ByteBuffer payload) throws InvalidProtocolBufferException {
        return parser.parseFrom(payload);
    }
}
