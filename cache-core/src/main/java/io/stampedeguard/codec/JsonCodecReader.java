package io.stampedeguard.codec;

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
import tools.jackson.core.JacksonException.Reference;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.Version;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.deser.BeanDeserializerBuilder;
import tools.jackson.databind.deser.CreatorProperty;
import tools.jackson.databind.deser.DeserializationProblemHandler;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.deser.ValueDeserializerModifier;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.deser.std.DelegatingDeserializer;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.AnnotatedMethod;
import tools.jackson.databind.introspect.AnnotatedParameter;
import tools.jackson.databind.introspect.BeanPropertyDefinition;
import tools.jackson.databind.introspect.ClassIntrospector;
import tools.jackson.databind.introspect.NopAnnotationIntrospector;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsonFormatVisitors.JsonFormatVisitorWrapper;
import tools.jackson.databind.jsonFormatVisitors.JsonObjectFormatVisitor;
import tools.jackson.databind.ser.BeanPropertyWriter;
import tools.jackson.databind.util.NameTransformer;

/**
 * Reads JSON for {@link JsonCodec}, unless a property of a class is missing. What must be there is what the mapper itself always
 * writes, unless it is optional by declaration. <em>Thread-safe.</em> Costs the read nothing but, for properties that are not
 * parameters of a constructor, a bit each.
 */
final class JsonCodecReader<V> {
    private static final int MOST_TRACKED = Long.SIZE;
    private static final ThreadLocal<@Nullable Seen> SEEN = new ThreadLocal<>();

    private final JsonMapper mapper;
    private final JavaType type;
    private final ObjectWriter writer;
    private final Map<Class<?>, Set<String>> written = new ConcurrentHashMap<>();
    /** Properties that the mapper omits, though it did not look like it: each as its class and name. */
    private final Set<String> omitted = ConcurrentHashMap.newKeySet();

    private final ObjectReader lenient;
    private volatile ObjectReader strict;

    JsonCodecReader(JsonMapper mapper, JavaType type) {
        this.mapper = mapper;
        this.type = type;
        this.writer = mapper.writerFor(type);
        this.lenient = readerOf(mapper.rebuild()
                .addModule(new Notes())
                .addHandler(new UnknownProperties())
                .build());
        this.strict = strict();
    }

    private ObjectReader strict() {
        return readerOf(mapper.rebuild().addModule(new Checks()).build());
    }

    private ObjectReader readerOf(JsonMapper of) {
        return of.readerFor(type).without(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
    }

    /** Reads a value; throws an {@link OtherVersionException} if a property is missing. */
    V read(ByteBuffer payload) {
        try {
            return read(strict, payload);
        } catch (MismatchedInputException e) {
            boolean isMissing = e.getOriginalMessage().startsWith("Missing required")
                    || e.getClass().getSimpleName().contains("Kotlin"); // the module of Kotlin has its own words
            if (!isMissing) {
                throw e;
            }
            return readWithout(e, payload);
        }
    }

    private V read(ObjectReader by, ByteBuffer payload) {
        return by.readValue(payload.array(), payload.arrayOffset() + payload.position(), payload.remaining());
    }

    /** Reads JSON in which a property is missing: it is complete if the mapper does not write that property for this value either. */
    private V readWithout(MismatchedInputException missing, ByteBuffer payload) {
        boolean[] hasUnknown = {false};
        try {
            V value = read(lenient.withAttribute(UnknownProperties.class, hasUnknown), payload);
            List<Reference> path = missing.getPath();
            Reference last = path.isEmpty() ? null : path.get(path.size() - 1);
            if (!hasUnknown[0] && last != null && value != null && isOmitted(last, value, payload)) {
                return value;
            }
        } catch (DatabindException e) { // in Kotlin there is no value without the property
            hasUnknown[0] |= hasOtherNames(missing.getPath(), payload);
        }
        throw new OtherVersionException(missing.getOriginalMessage(), !hasUnknown[0]);
    }

    /** Returns whether the object without the property, at the end of a path, has one that is not of its class. */
    private boolean hasOtherNames(List<Reference> path, ByteBuffer payload) {
        JsonNode object =
                mapper.readTree(payload.array(), payload.arrayOffset() + payload.position(), payload.remaining());
        for (int i = 0; i < path.size() - 1 && object != null; i++) {
            Reference step = path.get(i);
            object = step.getPropertyName() == null ? object.get(step.getIndex()) : object.get(step.getPropertyName());
        }
        if (object == null || path.isEmpty() || !(path.get(path.size() - 1).from() instanceof Class<?> of)) {
            return true; // for all that is known
        }
        Set<String> names = new HashSet<>();
        propertiesOf(of).forEach(property -> names.add(property.getName()));
        return object.properties().stream().anyMatch(each -> !names.contains(each.getKey()));
    }

    private List<BeanPropertyDefinition> propertiesOf(Class<?> of) {
        ClassIntrospector introspector = mapper.deserializationConfig().classIntrospectorInstance();
        JavaType javaType = mapper.constructType(of);
        return introspector
                .introspectForDeserialization(javaType, introspector.introspectClassAnnotations(javaType))
                .findProperties();
    }

    private boolean isOmitted(Reference property, V value, ByteBuffer payload) {
        String name = property.getPropertyName();
        JsonNode stored =
                mapper.readTree(payload.array(), payload.arrayOffset() + payload.position(), payload.remaining());
        JsonNode again = mapper.readTree(writer.writeValueAsBytes(value));
        boolean isOmitted = name != null
                && again.findValues(name).size() <= stored.findValues(name).size();
        if (isOmitted && property.from() instanceof Class<?> of && omitted.add(place(of, name))) {
            strict = strict();
        }
        return isOmitted;
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
                ValueDeserializer<?> deserializer,
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
                    return new JsonObjectFormatVisitor.Base(getContext()) {
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
        } catch (RuntimeException e) { // it cannot be encoded: nothing is known of it
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

    private abstract static class OwnModule extends JacksonModule {
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
            context.addDeserializerModifier(new ValueDeserializerModifier() {
                @Override
                public BeanDeserializerBuilder updateBuilder(
                        DeserializationConfig config, BeanDescription.Supplier of, BeanDeserializerBuilder builder) {
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
            context.addDeserializerModifier(new Setters());
        }
    }

    /** Declares parameters of constructors and factories to be required: then Jackson itself rejects JSON without them. */
    private final class Creators extends NopAnnotationIntrospector {
        @Override
        public @Nullable Boolean hasRequiredMarker(MapperConfig<?> config, AnnotatedMember member) {
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
                    return JsonCodecReader.this.isRequired(type, type, property);
                }
            }
            return false;
        }
    }

    /** Tracks properties that are set by fields and methods, which Jackson does not require. */
    private final class Setters extends ValueDeserializerModifier {
        private static final long serialVersionUID = 1;

        @Override
        public BeanDeserializerBuilder updateBuilder(
                DeserializationConfig config, BeanDescription.Supplier of, BeanDeserializerBuilder builder) {
            Class<?> type = of.getBeanClass();
            AnnotatedMethod build = builder.getBuildMethod();
            Class<?> encoded = build == null ? type : build.getRawReturnType();
            Map<String, BeanPropertyDefinition> definitions = new ConcurrentHashMap<>();
            of.get().findProperties().forEach(each -> definitions.put(each.getName(), each));
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
        public ValueDeserializer<?> modifyDeserializer(
                DeserializationConfig config, BeanDescription.Supplier of, ValueDeserializer<?> deserializer) {
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
        public void deserializeAndSet(JsonParser parser, DeserializationContext context, Object bean) {
            note();
            delegate.deserializeAndSet(parser, context, bean);
        }

        @Override
        public Object deserializeSetAndReturn(JsonParser parser, DeserializationContext context, Object bean) {
            note();
            return delegate.deserializeSetAndReturn(parser, context, bean);
        }

        /** Sets what was read before there was a bean. */
        @Override
        public void set(DeserializationContext context, Object bean, Object value) {
            note();
            delegate.set(context, bean, value);
        }

        @Override
        public Object setAndReturn(DeserializationContext context, Object bean, Object value) {
            note();
            return delegate.setAndReturn(context, bean, value);
        }
    }

    /** A deserializer of beans that rejects JSON without one of the tracked properties. */
    private static final class Checked extends DelegatingDeserializer {
        private final Class<?> type;
        private final long tracked;

        Checked(ValueDeserializer<?> delegate, Class<?> type) {
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
        protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> delegate) {
            return new Checked(delegate, type);
        }

        /** Without a check: of a bean whose properties are among those of another, all are missing if it was {@code null}. */
        @Override
        @SuppressWarnings("unchecked") // as Jackson itself
        public ValueDeserializer<Object> unwrappingDeserializer(DeserializationContext context, NameTransformer names) {
            return ((ValueDeserializer<Object>) _delegatee).unwrappingDeserializer(context, names);
        }

        @Override
        public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
            boolean isObject = parser.hasToken(JsonToken.START_OBJECT)
                    || parser.hasToken(JsonToken.PROPERTY_NAME)
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

        private RuntimeException missing(JsonParser parser, long bits) {
            for (var each = ((BeanDeserializerBase) _delegatee).properties(); each.hasNext(); ) {
                SettableBeanProperty property = each.next();
                Tracked one = trackedIn(property);
                if (one != null && (one.bit & bits) != 0) {
                    return MismatchedInputException.from(
                                    parser, type, "Missing required property '" + property.getName() + "'")
                            .prependPath(type, property.getName());
                }
            }
            throw new IllegalStateException("no property is missing");
        }
    }
}
