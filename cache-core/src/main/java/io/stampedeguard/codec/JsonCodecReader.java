package io.stampedeguard.codec;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.Version;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JacksonModule;
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

/**
 * Reads JSON for {@link JsonCodec}, unless a property of a class is missing. What must be there is what the mapper itself always
 * writes at its place, unless it is optional by declaration. <em>Thread-safe.</em> Costs the read one small object per bean, and a
 * bit for each property that is not a parameter of a constructor. Only if something is missing, or there is no value, the JSON is
 * read once more, to compare its names with those of the classes.
 */
final class JsonCodecReader<V> {
    private static final JsonMapper PLAIN = new JsonMapper();

    private final JsonMapper mapper;
    private final ObjectWriter writer;
    private final ObjectReader reader;
    private final ObjectReader comparing;

    JsonCodecReader(JsonMapper mapper, JavaType type) {
        this.mapper = mapper;
        this.writer = mapper.writerFor(type);
        this.reader = mapper.rebuild()
                .addModule(new Checks(mapper))
                .addHandler(new UnknownTypes())
                .build()
                .readerFor(type)
                .without(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
        this.comparing = reader.without(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES);
    }

    /** Reads a value; throws an {@link OtherVersionException} if a property is missing, or a constant or subtype is unknown. */
    V read(ByteBuffer payload) {
        Findings found = new Findings(false);
        V value;
        try {
            value = read(reader, payload, found);
        } catch (RuntimeException e) {
            if (isUnknown(e, found)) {
                throw new OtherVersionException(((DatabindException) e).getOriginalMessage(), false);
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

    private V read(ObjectReader reader, ByteBuffer payload, Findings found) {
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
        } catch (RuntimeException e) {
            if (isMismatch(e)) {
                found.noteOther();
            }
        }
        return found;
    }

    private boolean areOmitted(Findings found, V value, ByteBuffer payload) {
        try {
            return found.areOmitted(tree(payload), tree(ByteBuffer.wrap(writer.writeValueAsBytes(value))));
        } catch (RuntimeException e) { // it cannot be encoded without what is missing
            return false;
        }
    }

    private Object tree(ByteBuffer json) {
        return PLAIN.treeToValue(
                mapper.readTree(json.array(), json.arrayOffset() + json.position(), json.remaining()), Object.class);
    }

    /** Returns whether an exception is about a constant or a subtype that the class does not have. */
    private static boolean isUnknown(RuntimeException e, Findings found) {
        return (e instanceof InvalidFormatException format
                        && format.getTargetType() != null
                        && format.getTargetType().isEnum())
                || (found.hasUnknownType && e instanceof InvalidTypeIdException);
    }

    /** Returns whether an exception is about something that is there, rather than about a value that cannot be made of it. */
    static boolean isMismatch(RuntimeException e) {
        return e instanceof MismatchedInputException && !(e instanceof InvalidNullException);
    }

    /** Returns what is missing by the words of an exception; {@code null} if it has none of that. */
    static @Nullable String missing(RuntimeException e) {
        if (!(e instanceof DatabindException jackson)) {
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

    private static final class Checks extends JacksonModule {
        private final JsonMapper mapper;

        Checks(JsonMapper mapper) {
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
            context.addDeserializerModifier(new JsonCodecBeans(mapper));
        }
    }
}
