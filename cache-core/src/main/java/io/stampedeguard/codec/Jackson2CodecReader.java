package io.stampedeguard.codec;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.deser.DeserializationProblemHandler;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.fasterxml.jackson.databind.exc.InvalidNullException;
import com.fasterxml.jackson.databind.exc.InvalidTypeIdException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.jsontype.TypeIdResolver;
import com.fasterxml.jackson.databind.module.SimpleModule;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Reads and writes JSON for {@link Jackson2Codec}. <em>Thread-safe.</em> */
final class Jackson2CodecReader<V> extends CheckedReader<V, IOException> {
    private static final ObjectMapper PLAIN = new ObjectMapper();

    private final ObjectMapper mapper;
    private final ObjectWriter writer;
    private final ObjectReader reader;
    private final ObjectReader comparing;

    Jackson2CodecReader(ObjectMapper mapper, JavaType type) {
        this.mapper = mapper;
        this.writer = mapper.writerFor(type);
        this.reader = mapper.copy()
                .registerModule(
                        new SimpleModule("stampede-checks").setDeserializerModifier(new Jackson2CodecBeans(mapper)))
                .addHandler(new UnknownTypes())
                .readerFor(type)
                .without(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
        this.comparing = reader.without(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES);
    }

    @Override
    V parse(ByteBuffer payload, boolean comparesNames) throws IOException {
        return (comparesNames ? comparing : reader)
                .readValue(payload.array(), payload.arrayOffset() + payload.position(), payload.remaining());
    }

    @Override
    Object tree(ByteBuffer payload) throws IOException {
        return PLAIN.treeToValue(
                mapper.readTree(payload.array(), payload.arrayOffset() + payload.position(), payload.remaining()),
                Object.class);
    }

    @Override
    byte[] encode(V value) throws JsonProcessingException {
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
        return e instanceof JsonMappingException jackson ? String.valueOf(jackson.getOriginalMessage()) : null;
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
