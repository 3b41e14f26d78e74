package io.stampedeguard.codec;

import com.fasterxml.jackson.core.Version;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.Module;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.deser.DeserializationProblemHandler;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.fasterxml.jackson.databind.exc.InvalidNullException;
import com.fasterxml.jackson.databind.exc.InvalidTypeIdException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.jsontype.TypeIdResolver;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON for {@link Jackson2Codec}, unless a property of a class is missing. What must be there is what the mapper itself always
 * writes at its place, unless it is optional by declaration. <em>Thread-safe.</em> Costs the read one small object per bean, and a
 * bit for each property that is not a parameter of a constructor. Only if something is missing, or there is no value, the JSON is
 * read once more, to compare its names with those of the classes.
 */
final class Jackson2CodecReader<V> {
    private static final ObjectMapper PLAIN = new ObjectMapper();

    private final ObjectMapper mapper;
    private final ObjectWriter writer;
    private final ObjectReader reader;
    private final ObjectReader comparing;

    Jackson2CodecReader(ObjectMapper mapper, JavaType type) {
        this.mapper = mapper;
        this.writer = mapper.writerFor(type);
        this.reader = mapper.copy()
                .registerModule(new Checks(mapper))
                .addHandler(new UnknownTypes())
                .readerFor(type)
                .without(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
        this.comparing = reader.without(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES);
    }

    /** Reads a value; throws an {@link OtherVersionException} if a property is missing, or a constant or subtype is unknown. */
    V read(ByteBuffer payload) throws IOException {
        Findings found = new Findings(false);
        V value;
        try {
            value = read(reader, payload, found);
        } catch (JsonMappingException | RuntimeException e) {
            if (isUnknown(e, found)) {
                throw new OtherVersionException(((JsonMappingException) e).getOriginalMessage(), false);
            }
            Findings compared = compare(payload);
            if (compared.isMissingNothing()) {
                throw e;
            }
            throw compared.otherVersion();
        }
        if (found.isMissingNothing() || areOmitted(found, value, payload)) {
            return value;
        }
        throw compare(payload).otherVersion();
    }

    private V read(ObjectReader reader, ByteBuffer payload, Findings found) throws IOException {
        Findings outer = Findings.replace(found);
        try {
            return reader.readValue(payload.array(), payload.arrayOffset() + payload.position(), payload.remaining());
        } finally {
            Findings.replace(outer);
        }
    }

    private Findings compare(ByteBuffer payload) {
        Findings found = new Findings(true);
        try {
            read(comparing, payload, found);
        } catch (IOException | RuntimeException e) {
            if (isMismatch(e)) {
                found.noteOther();
            }
        }
        return found;
    }

    private boolean areOmitted(Findings found, V value, ByteBuffer payload) {
        try {
            return found.areOmitted(tree(payload), tree(ByteBuffer.wrap(writer.writeValueAsBytes(value))));
        } catch (IOException | RuntimeException e) { // it cannot be encoded without what is missing
            return false;
        }
    }

    private Object tree(ByteBuffer json) throws IOException {
        return PLAIN.treeToValue(
                mapper.readTree(json.array(), json.arrayOffset() + json.position(), json.remaining()), Object.class);
    }

    /** Returns whether an exception is about a constant or a subtype that the class does not have. */
    private static boolean isUnknown(Exception e, Findings found) {
        return (e instanceof InvalidFormatException format
                        && format.getTargetType() != null
                        && format.getTargetType().isEnum())
                || (found.hasUnknownType && e instanceof InvalidTypeIdException);
    }

    /** Returns whether an exception is about something that is there, rather than about a value that cannot be made of it. */
    static boolean isMismatch(Exception e) {
        return e instanceof MismatchedInputException && !(e instanceof InvalidNullException);
    }

    /** Returns what is missing by the words of an exception; {@code null} if it has none of that. */
    static @Nullable String missing(Exception e) {
        if (!(e instanceof JsonMappingException jackson)) {
            return null;
        }
        String words = String.valueOf(jackson.getOriginalMessage());
        boolean isOfKotlin = e.getClass().getSimpleName().contains("Kotlin"); // its module has its own words
        return isOfKotlin || words.startsWith("Missing ") ? words : null;
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

    private static final class Checks extends Module {
        private final ObjectMapper mapper;

        Checks(ObjectMapper mapper) {
            this.mapper = mapper;
        }

        @Override
        public String getModuleName() {
            return getClass().getName();
        }

        @Override
        public Version version() {
            return Version.unknownVersion();
        }

        @Override
        public void setupModule(SetupContext context) {
            context.addBeanDeserializerModifier(new Jackson2CodecBeans(mapper));
        }
    }
}
