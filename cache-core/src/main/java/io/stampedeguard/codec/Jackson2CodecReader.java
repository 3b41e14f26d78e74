package io.stampedeguard.codec;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.Version;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.DeserializationConfig;
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
import com.fasterxml.jackson.databind.deser.BeanDeserializerBase;
import com.fasterxml.jackson.databind.deser.BeanDeserializerBuilder;
import com.fasterxml.jackson.databind.deser.BeanDeserializerModifier;
import com.fasterxml.jackson.databind.deser.CreatorProperty;
import com.fasterxml.jackson.databind.deser.DeserializationProblemHandler;
import com.fasterxml.jackson.databind.deser.SettableBeanProperty;
import com.fasterxml.jackson.databind.deser.std.DelegatingDeserializer;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.AnnotatedMethod;
import com.fasterxml.jackson.databind.introspect.AnnotatedParameter;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import com.fasterxml.jackson.databind.introspect.NopAnnotationIntrospector;
import com.fasterxml.jackson.databind.jsonFormatVisitors.JsonFormatVisitorWrapper;
import com.fasterxml.jackson.databind.jsonFormatVisitors.JsonObjectFormatVisitor;
import com.fasterxml.jackson.databind.ser.BeanPropertyWriter;
import com.fasterxml.jackson.databind.util.NameTransformer;
import java.io.IOException;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Executable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON for {@link Jackson2Codec}, unless a property of a class is missing. What must be there is what the mapper itself always
 * writes, unless it is optional by declaration. <em>Thread-safe.</em> Costs the read nothing but, for properties that are not
 * parameters of a constructor, a bit each.
 */
final class Jackson2CodecReader<V> {
    private static final int MOST_TRACKED = Long.SIZE;
    private static final ThreadLocal<@Nullable Seen> SEEN = new ThreadLocal<>();

    private final ObjectMapper mapper;
    private final JavaType type;
    private final ObjectWriter writer;
    private final Map<Class<?>, Set<String>> written = new ConcurrentHashMap<>();
    /** Properties that the mapper omits, though it did not look like it: each as its class and name. */
    private final Set<String> omitted = ConcurrentHashMap.newKeySet();

    private final ObjectReader lenient;
    private volatile ObjectReader strict;

    Jackson2CodecReader(ObjectMapper mapper, JavaType type) {
        this.mapper = mapper;
        this.type = type;
        this.writer = mapper.writerFor(type);
        this.lenient = readerOf(mapper.copy().registerModule(new Notes()).addHandler(new UnknownProperties()))
                .without(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES);
        this.strict = strict();
    }

    private ObjectReader strict() {
        return readerOf(mapper.copy().registerModule(new Checks()));
    }

    private ObjectReader readerOf(ObjectMapper of) {
        return of.readerFor(type).without(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
    }

    /** Reads a value; throws an {@link OtherVersionException} if a property is missing. */
    V read(ByteBuffer payload) throws IOException {
        try {
            return read(strict, payload);
        } catch (MismatchedInputException e) {
            boolean isMissing = e.getOriginalMessage().startsWith("Missing required")
                    || e.getClass().getSimpleName().contains("Kotlin") // the module of Kotlin has its own words
                    || isMissingPrimitive(e, payload);
            if (!isMissing) {
                throw e;
            }
            return readWithout(e, payload);
        }
    }

    /** Jackson 2 takes a primitive parameter that is missing for {@code null}, and Jackson 3 for zero. */
    private boolean isMissingPrimitive(MismatchedInputException e, ByteBuffer payload) throws IOException {
        Reference last = lastOf(e);
        return e.getOriginalMessage().startsWith("Cannot map `null`")
                && last != null
                && last.getFieldName() != null
                && tree(payload).findValues(last.getFieldName()).isEmpty();
    }

    private V read(ObjectReader by, ByteBuffer payload) throws IOException {
        return by.readValue(payload.array(), payload.arrayOffset() + payload.position(), payload.remaining());
    }

    /** Reads JSON in which a property is missing: it is complete if the mapper does not write that property for this value either. */
    private V readWithout(MismatchedInputException missing, ByteBuffer payload) throws IOException {
        boolean[] hasUnknown = {false};
        try {
            V value = read(lenient.withAttribute(UnknownProperties.class, hasUnknown), payload);
            Reference last = lastOf(missing);
            if (!hasUnknown[0] && last != null && value != null && isOmitted(last, value, payload)) {
                return value;
            }
        } catch (JsonMappingException e) { // in Kotlin there is no value without the property
            hasUnknown[0] |= hasOtherNames(missing.getPath(), payload);
        }
        throw new OtherVersionException(missing.getOriginalMessage(), !hasUnknown[0]);
    }

    /** Returns whether the object without the property, at the end of a path, has one that is not of its class. */
    private boolean hasOtherNames(List<Reference> path, ByteBuffer payload) throws IOException {
        JsonNode object = tree(payload);
        for (int i = 0; i < path.size() - 1 && object != null; i++) {
            Reference step = path.get(i);
            object = step.getFieldName() == null ? object.get(step.getIndex()) : object.get(step.getFieldName());
        }
        if (object == null || path.isEmpty() || !(path.get(path.size() - 1).getFrom() instanceof Class<?> of)) {
            return true; // for all that is known
        }
        Set<String> names = new HashSet<>();
        propertiesOf(of).forEach(property -> names.add(property.getName()));
        return object.properties().stream().anyMatch(each -> !names.contains(each.getKey()));
    }

    private List<BeanPropertyDefinition> propertiesOf(Class<?> of) {
        return mapper.getDeserializationConfig()
                .introspect(mapper.constructType(of))
                .findProperties();
    }

    private boolean isOmitted(Reference property, V value, ByteBuffer payload) throws IOException {
        String name = property.getFieldName();
        JsonNode stored = tree(payload);
        JsonNode again = tree(ByteBuffer.wrap(writer.writeValueAsBytes(value)));
        boolean isOmitted = name != null
                && again.findValues(name).size() <= stored.findValues(name).size();
        if (isOmitted && property.getFrom() instanceof Class<?> of && omitted.add(place(of, name))) {
            strict = strict();
        }
        return isOmitted;
    }

    private JsonNode tree(ByteBuffer json) throws IOException {
        return mapper.readTree(json.array(), json.arrayOffset() + json.position(), json.remaining());
    }

    private static @Nullable Reference lastOf(MismatchedInputException e) {
        return e.getPath().isEmpty() ? null : e.getPath().get(e.getPath().size() - 1);
    }

    private static String place(Class<?> of, String name) {
        return of.getName() + " " + name;
    }

    /** Notes in an attribute of the read that there are properties which the class does not have. */
    private static final class UnknownProperties extends DeserializationProblemHandler {
        @Override
        public boolean handleUnknownProperty(
                DeserializationContext context,
                JsonParser parser,
                JsonDeserializer<?> deserializer,
                Object bean,
                String name) {
            if (context.getAttribute(UnknownProperties.class) instanceof boolean[] hasUnknown) {
                hasUnknown[0] = true;
            }
            return false;
        }
    }

    private boolean isRequired(Class<?> type, Class<?> encoded, BeanPropertyDefinition property) {
        String name = property.getName();
        return written.computeIfAbsent(encoded, this::alwaysWritten).contains(name)
                && !omitted.contains(place(type, name))
                && property.getMetadata().getDefaultValue() == null
                && !DeclaredType.isOptional(encoded, property.getInternalName(), property.getRawPrimaryType())
                && !isNullable(property.getField())
                && !isNullable(property.getGetter())
                && !isNullable(property.getConstructorParameter())
                && !(property.hasSetter()
                        && DeclaredType.isNullable(property.getSetter().getAnnotated(), 0));
    }

    private static boolean isNullable(@Nullable AnnotatedMember member) {
        if (member instanceof AnnotatedParameter parameter) {
            return DeclaredType.isNullable((Executable) parameter.getOwner().getMember(), parameter.getIndex());
        }
        return member != null && member.getMember() instanceof AnnotatedElement of && DeclaredType.isNullable(of);
    }

    /** Returns the properties that the mapper writes whatever their values are. */
    private Set<String> alwaysWritten(Class<?> type) {
        Set<String> names = new HashSet<>();
        try {
            mapper.acceptJsonFormatVisitor(type, new JsonFormatVisitorWrapper.Base() {
                @Override
                public JsonObjectFormatVisitor expectObjectFormat(JavaType of) {
                    return new JsonObjectFormatVisitor.Base(getProvider()) {
                        @Override
                        public void property(BeanProperty property) {
                            optionalProperty(property);
                        }

                        @Override
                        public void optionalProperty(BeanProperty property) {
                            if (property instanceof BeanPropertyWriter writer && new Suppression(writer).isNone()) {
                                names.add(property.getName());
                            }
                        }
                    };
                }
            });
        } catch (JsonMappingException | RuntimeException e) { // it cannot be encoded: nothing is known of it
            return Set.of();
        }
        return names;
    }

    /** Which values of a property are not written. */
    private static final class Suppression extends BeanPropertyWriter {
        Suppression(BeanPropertyWriter of) {
            super(of);
        }

        boolean isNone() {
            return !_suppressNulls && _suppressableValue == null;
        }
    }

    private abstract static class OwnModule extends Module {
        @Override
        public String getModuleName() {
            return getClass().getName();
        }

        @Override
        public Version version() {
            return Version.unknownVersion();
        }
    }

    private static final class Notes extends OwnModule {
        @Override
        public void setupModule(SetupContext context) {
            context.addBeanDeserializerModifier(new BeanDeserializerModifier() {
                @Override
                public BeanDeserializerBuilder updateBuilder(
                        DeserializationConfig config, BeanDescription of, BeanDeserializerBuilder builder) {
                    builder.setIgnoreUnknownProperties(false); // it is ignored after it was noted
                    return builder;
                }
            });
        }
    }

    private final class Checks extends OwnModule {
        @Override
        public void setupModule(SetupContext context) {
            context.insertAnnotationIntrospector(new Creators());
            context.addBeanDeserializerModifier(new Setters());
        }
    }

    /** Declares parameters of constructors and factories to be required: then Jackson itself rejects JSON without them. */
    private final class Creators extends NopAnnotationIntrospector {
        @Override
        public @Nullable Boolean hasRequiredMarker(AnnotatedMember member) {
            boolean isRequired = member instanceof AnnotatedParameter parameter && isRequired(parameter);
            return isRequired ? true : null;
        }

        private boolean isRequired(AnnotatedParameter parameter) {
            Class<?> type = parameter.getDeclaringClass();
            if (DeclaredType.isOfKotlin(type)) {
                return false;
            }
            for (BeanPropertyDefinition property : propertiesOf(type)) {
                AnnotatedParameter other = property.getConstructorParameter();
                if (other != null
                        && other.getIndex() == parameter.getIndex()
                        && other.getOwner()
                                .getMember()
                                .equals(parameter.getOwner().getMember())) {
                    return Jackson2CodecReader.this.isRequired(type, type, property);
                }
            }
            return false;
        }
    }

    /** Tracks properties that are set by fields and methods, which Jackson does not require. */
    private final class Setters extends BeanDeserializerModifier {
        private static final long serialVersionUID = 1;

        @Override
        public BeanDeserializerBuilder updateBuilder(
                DeserializationConfig config, BeanDescription of, BeanDeserializerBuilder builder) {
            Class<?> type = of.getBeanClass();
            AnnotatedMethod build = builder.getBuildMethod();
            Class<?> encoded = build == null ? type : build.getRawReturnType();
            Map<String, BeanPropertyDefinition> definitions = new ConcurrentHashMap<>();
            of.findProperties().forEach(each -> definitions.put(each.getName(), each));
            List<SettableBeanProperty> required = new ArrayList<>();
            builder.getProperties().forEachRemaining(each -> {
                BeanPropertyDefinition definition = definitions.get(each.getName());
                if (!(each instanceof CreatorProperty)
                        && definition != null
                        && required.size() < MOST_TRACKED
                        && isRequired(type, encoded, definition)) {
                    required.add(each);
                }
            });
            for (int i = 0; i < required.size(); i++) {
                builder.addOrReplaceProperty(new Tracked(required.get(i), type, 1L << i), true);
            }
            return builder;
        }

        @Override
        public JsonDeserializer<?> modifyDeserializer(
                DeserializationConfig config, BeanDescription of, JsonDeserializer<?> deserializer) {
            boolean isTracked = deserializer instanceof BeanDeserializerBase bean
                    && !DeclaredType.isOfKotlin(of.getBeanClass())
                    && Checked.trackedOf(bean) != 0;
            return isTracked ? new Checked(deserializer, of.getBeanClass()) : deserializer;
        }
    }

    /** The properties that were set of the bean that is read at the moment. */
    private static final class Seen {
        private final Class<?> type;
        private long bits;

        Seen(Class<?> type) {
            this.type = type;
        }
    }

    /** A property that notes when it is set. */
    private static final class Tracked extends SettableBeanProperty.Delegating {
        private static final long serialVersionUID = 1;

        private final Class<?> type;
        private final long bit;

        Tracked(SettableBeanProperty delegate, Class<?> type, long bit) {
            super(delegate);
            this.type = type;
            this.bit = bit;
        }

        @Override
        protected SettableBeanProperty withDelegate(SettableBeanProperty other) {
            return new Tracked(other, type, bit);
        }

        private void note() {
            Seen seen = SEEN.get();
            if (seen != null && seen.type == type) {
                seen.bits |= bit;
            }
        }

        @Override
        public void deserializeAndSet(JsonParser parser, DeserializationContext context, Object bean)
                throws IOException {
            note();
            delegate.deserializeAndSet(parser, context, bean);
        }

        @Override
        public Object deserializeSetAndReturn(JsonParser parser, DeserializationContext context, Object bean)
                throws IOException {
            note();
            return delegate.deserializeSetAndReturn(parser, context, bean);
        }

        /** Sets what was read before there was a bean. */
        @Override
        public void set(Object bean, Object value) throws IOException {
            note();
            delegate.set(bean, value);
        }

        @Override
        public Object setAndReturn(Object bean, Object value) throws IOException {
            note();
            return delegate.setAndReturn(bean, value);
        }
    }

    /** A deserializer of beans that rejects JSON without one of the tracked properties. */
    private static final class Checked extends DelegatingDeserializer {
        private final Class<?> type;
        private final long tracked;

        Checked(JsonDeserializer<?> delegate, Class<?> type) {
            super(delegate);
            this.type = type;
            this.tracked = delegate instanceof BeanDeserializerBase bean ? trackedOf(bean) : 0;
        }

        static long trackedOf(BeanDeserializerBase bean) {
            long bits = 0;
            for (var each = bean.properties(); each.hasNext(); ) {
                Tracked property = trackedIn(each.next());
                bits |= property == null ? 0 : property.bit;
            }
            return bits;
        }

        private static @Nullable Tracked trackedIn(SettableBeanProperty property) {
            SettableBeanProperty inner = property;
            while (inner instanceof SettableBeanProperty.Delegating outer && !(inner instanceof Tracked)) {
                inner = outer.getDelegate();
            }
            return inner instanceof Tracked found ? found : null;
        }

        @Override
        protected JsonDeserializer<?> newDelegatingInstance(JsonDeserializer<?> delegate) {
            return new Checked(delegate, type);
        }

        /** Without a check: of a bean whose properties are among those of another, all are missing if it was {@code null}. */
        @Override
        @SuppressWarnings("unchecked") // as Jackson itself
        public JsonDeserializer<Object> unwrappingDeserializer(NameTransformer names) {
            return ((JsonDeserializer<Object>) _delegatee).unwrappingDeserializer(names);
        }

        @Override
        public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            boolean isObject = parser.hasToken(JsonToken.START_OBJECT)
                    || parser.hasToken(JsonToken.FIELD_NAME)
                    || parser.hasToken(JsonToken.END_OBJECT);
            if (!isObject) {
                return _delegatee.deserialize(parser, context);
            }
            Seen outer = SEEN.get();
            Seen seen = new Seen(type);
            SEEN.set(seen);
            Object bean;
            try {
                bean = _delegatee.deserialize(parser, context);
            } finally {
                if (outer == null) {
                    SEEN.remove();
                } else {
                    SEEN.set(outer);
                }
            }
            if ((tracked & ~seen.bits) != 0) {
                throw missing(parser, tracked & ~seen.bits);
            }
            return bean;
        }

        private IOException missing(JsonParser parser, long bits) {
            for (var each = ((BeanDeserializerBase) _delegatee).properties(); each.hasNext(); ) {
                SettableBeanProperty property = each.next();
                Tracked one = trackedIn(property);
                if (one != null && (one.bit & bits) != 0) {
                    MismatchedInputException missing = MismatchedInputException.from(
                            parser, type, "Missing required property '" + property.getName() + "'");
                    missing.prependPath(type, property.getName());
                    return missing;
                }
            }
            throw new IllegalStateException("no property is missing");
        }
    }
}
