package io.stampedeguard.codec;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.Version;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonMappingException.Reference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.Module;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.deser.DeserializationProblemHandler;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.fasterxml.jackson.databind.exc.InvalidTypeIdException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import com.fasterxml.jackson.databind.jsontype.TypeIdResolver;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON for {@link Jackson2Codec}, unless a property of a class is missing. What must be there is what the mapper itself always
 * writes at its place, unless it is optional by declaration. <em>Thread-safe.</em> Costs the read one small object per bean, and a
 * bit for each property that is not a parameter of a constructor.
 */
final class Jackson2CodecReader<V> {
    private static final ThreadLocal<@Nullable Findings> FINDINGS = new ThreadLocal<>();

    private final ObjectMapper mapper;
    private final ObjectWriter writer;
    private final ObjectReader reader;

    Jackson2CodecReader(ObjectMapper mapper, JavaType type) {
        this.mapper = mapper;
        this.writer = mapper.writerFor(type);
        this.reader = mapper.copy()
                .registerModule(new Checks(mapper))
                .addHandler(new UnknownNames())
                .readerFor(type)
                .without(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
    }

    /** Returns what the read of this thread has found; {@code null} if it is not one of these codecs. */
    static @Nullable Findings findings() {
        return FINDINGS.get();
    }

    /** What one read finds besides the value: which bean is read at the moment, and how the JSON differs from its class. */
    static final class Findings {
        final List<Missing> missing = new ArrayList<>(0);
        Jackson2CodecBeans.@Nullable Bean current;

        private boolean hasUnknownProperties;
        private boolean hasUnknownType;
    }

    /** A property that is missing in the object at a place. */
    record Missing(Class<?> type, String name, JsonPointer place) {}

    /** Reads a value; throws an {@link OtherVersionException} if a property is missing, or a constant or subtype is unknown. */
    V read(ByteBuffer payload) throws IOException {
        Findings outer = FINDINGS.get();
        Findings found = new Findings();
        FINDINGS.set(found);
        V value;
        try {
            value = reader.readValue(payload.array(), payload.arrayOffset() + payload.position(), payload.remaining());
        } catch (JsonMappingException e) {
            throw otherVersion(e, found, payload);
        } finally {
            restore(outer);
        }
        if (found.missing.isEmpty() || (!found.hasUnknownProperties && areOmitted(found.missing, value, payload))) {
            return value;
        }
        throw new OtherVersionException(shown(found.missing), !found.hasUnknownProperties);
    }

    private static void restore(@Nullable Findings outer) {
        if (outer == null) {
            FINDINGS.remove();
        } else {
            FINDINGS.set(outer);
        }
    }

    private static String shown(List<Missing> missing) {
        Missing first = missing.get(0);
        return "Missing property '" + first.name() + "' of " + first.type().getName() + " at '" + first.place() + "'";
    }

    /** Returns whether the mapper does not write the properties for this value either, such as because of a filter. */
    private boolean areOmitted(List<Missing> missing, V value, ByteBuffer payload) throws IOException {
        JsonNode stored = tree(payload);
        JsonNode again = tree(ByteBuffer.wrap(writer.writeValueAsBytes(value)));
        return missing.stream()
                .allMatch(each -> again.findValues(each.name()).size()
                        <= stored.findValues(each.name()).size());
    }

    private JsonNode tree(ByteBuffer json) throws IOException {
        return mapper.readTree(json.array(), json.arrayOffset() + json.position(), json.remaining());
    }

    /** Returns in what another version differs, which has more constants and subtypes, or fewer properties than a value needs. */
    private OtherVersionException otherVersion(JsonMappingException e, Findings found, ByteBuffer payload)
            throws IOException {
        boolean isUnknownConstant = e instanceof InvalidFormatException format
                && format.getTargetType() != null
                && format.getTargetType().isEnum();
        if (isUnknownConstant || (found.hasUnknownType && e instanceof InvalidTypeIdException)) {
            return new OtherVersionException(e.getOriginalMessage(), false);
        }
        boolean isOfKotlin = e.getClass().getSimpleName().contains("Kotlin"); // its module has its own words
        if (isOfKotlin || e.getOriginalMessage().startsWith("Missing ")) {
            boolean hasUnknown = found.hasUnknownProperties || hasOtherNames(e.getPath(), payload);
            return new OtherVersionException(e.getOriginalMessage(), !hasUnknown);
        }
        if (found.missing.isEmpty()) {
            throw e;
        }
        JsonNode tree = tree(payload);
        boolean isOlder = !(e instanceof MismatchedInputException) // the constructor needs what is missing
                && !found.hasUnknownProperties
                && found.missing.stream().noneMatch(each -> hasOtherNames(tree.at(each.place()), each.type()));
        return new OtherVersionException(shown(found.missing), isOlder);
    }

    /** Returns whether the object without the property, at the end of a path, has one that is not of its class. */
    private boolean hasOtherNames(List<Reference> path, ByteBuffer payload) throws IOException {
        JsonNode object = tree(payload);
        for (int i = 0; i < path.size() - 1 && object != null; i++) {
            Reference step = path.get(i);
            object = step.getFieldName() == null ? object.get(step.getIndex()) : object.get(step.getFieldName());
        }
        return object == null
                || path.isEmpty()
                || !(path.get(path.size() - 1).getFrom() instanceof Class<?> of)
                || hasOtherNames(object, of);
    }

    private boolean hasOtherNames(JsonNode object, Class<?> of) {
        Set<String> names = new HashSet<>();
        propertiesOf(of).forEach(property -> names.add(property.getName()));
        return !object.isObject() // not found: for all that is known
                || object.properties().stream().anyMatch(each -> !names.contains(each.getKey()));
    }

    private List<BeanPropertyDefinition> propertiesOf(Class<?> of) {
        return mapper.getDeserializationConfig()
                .introspect(mapper.constructType(of))
                .findProperties();
    }

    /** Notes properties and subtypes that the classes do not have; what happens then is left to the mapper. */
    private static final class UnknownNames extends DeserializationProblemHandler {
        @Override
        public boolean handleUnknownProperty(
                DeserializationContext context,
                JsonParser parser,
                JsonDeserializer<?> deserializer,
                Object bean,
                String name) {
            Findings found = FINDINGS.get();
            if (found != null) {
                found.hasUnknownProperties = true;
            }
            return false;
        }

        @Override
        public @Nullable JavaType handleUnknownTypeId(
                DeserializationContext context,
                JavaType base,
                String subtype,
                TypeIdResolver resolver,
                String message) {
            Findings found = FINDINGS.get();
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
