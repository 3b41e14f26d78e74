package io.stampedeguard.codec;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.deser.DeserializationProblemHandler;
import tools.jackson.databind.exc.InvalidFormatException;
import tools.jackson.databind.exc.InvalidNullException;
import tools.jackson.databind.exc.InvalidTypeIdException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.TypeIdResolver;
import tools.jackson.databind.module.SimpleModule;

/** Reads and writes JSON for {@link JsonCodec}. <em>Thread-safe.</em> */
final class JsonCodecReader<V> extends CheckedReader<V, RuntimeException> {
    private static final JsonMapper PLAIN = new JsonMapper();

    private final JsonMapper mapper;
    private final ObjectWriter writer;
    private final ObjectReader reader;
    private final ObjectReader comparing;

    JsonCodecReader(JsonMapper mapper, JavaType type) {
        this.mapper = mapper;
        this.writer = mapper.writerFor(type);
        this.reader = mapper.rebuild()
                .addModule(new SimpleModule("stampede-checks").setDeserializerModifier(new JsonCodecBeans(mapper)))
                .addHandler(new UnknownTypes())
                .build()
                .readerFor(type)
                .without(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
        this.comparing = reader.without(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES);
    }

    @Override
    V parse(ByteBuffer payload, boolean comparesNames) {
        return (comparesNames ? comparing : reader)
                .readValue(payload.array(), payload.arrayOffset() + payload.position(), payload.remaining());
    }

    @Override
    Object tree(ByteBuffer payload) {
        return PLAIN.treeToValue(
                mapper.readTree(payload.array(), payload.arrayOffset() + payload.position(), payload.remaining()),
                Object.class);
    }

    @Override
    byte[] encode(V value) {
        return writer.writeValueAsBytes(value);
    }

    @Override
    boolean isUnknown(Exception e, boolean hasUnknownType) {
        return (e instanceof InvalidFormatException format
                        && format.getTargetType() != null
                        && format.getTargetType().isEnum())
                || (hasUnknownType && e instanceof InvalidTypeIdException);
    }

    @Override
    boolean isMismatch(Exception e) {
        return e instanceof MismatchedInputException && !(e instanceof InvalidNullException);
    }

    @Override
    @Nullable
    String messageOf(Exception e) {
        return e instanceof DatabindException jackson ? String.valueOf(jackson.getOriginalMessage()) : null;
    }

    /** Notes subtypes that the classes do not have; what happens then is left to the mapper. */
    private static final class UnknownTypes extends DeserializationProblemHandler {
        @Override
        public @Nullable JavaType handleUnknownTypeId(
                DeserializationContext context,
                JavaType base,
                String subtype,
                TypeIdResolver resolver,
                String message) {
            Findings found = Findings.current();
            if (found != null) {
                found.hasUnknownType = true;
            }
            return null;
        }
    }
}
