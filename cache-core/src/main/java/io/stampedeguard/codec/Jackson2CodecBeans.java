package io.stampedeguard.codec;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.AnnotationIntrospector;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.DeserializationConfig;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyName;
import com.fasterxml.jackson.databind.deser.BeanDeserializerBase;
import com.fasterxml.jackson.databind.deser.BeanDeserializerBuilder;
import com.fasterxml.jackson.databind.deser.BeanDeserializerModifier;
import com.fasterxml.jackson.databind.deser.CreatorProperty;
import com.fasterxml.jackson.databind.deser.NullValueProvider;
import com.fasterxml.jackson.databind.deser.SettableBeanProperty;
import com.fasterxml.jackson.databind.deser.std.DelegatingDeserializer;
import com.fasterxml.jackson.databind.deser.std.StdValueInstantiator;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.AnnotatedMethod;
import com.fasterxml.jackson.databind.introspect.AnnotatedParameter;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import com.fasterxml.jackson.databind.jsonFormatVisitors.JsonFormatVisitorWrapper;
import com.fasterxml.jackson.databind.jsonFormatVisitors.JsonObjectFormatVisitor;
import com.fasterxml.jackson.databind.ser.BeanPropertyWriter;
import com.fasterxml.jackson.databind.util.AccessPattern;
import com.fasterxml.jackson.databind.util.ClassUtil;
import com.fasterxml.jackson.databind.util.NameTransformer;
import java.io.IOException;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Executable;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds the properties of beans that JSON lacks, for {@link Jackson2CodecReader}. Kotlin's module does so for Kotlin's classes.
 * <em>Thread-safe.</em>
 */
final class Jackson2CodecBeans extends BeanDeserializerModifier {
    private static final long serialVersionUID = 1;
    private static final int MOST_TRACKED = Long.SIZE;

    private final transient ObjectMapper mapper;
    private final transient Map<Class<?>, Set<String>> written = new ConcurrentHashMap<>();

    Jackson2CodecBeans(ObjectMapper mapper) {
        this.mapper = mapper;
    }

    @Override
    public BeanDeserializerBuilder updateBuilder(
            DeserializationConfig config, BeanDescription of, BeanDeserializerBuilder builder) {
        builder.setIgnoreUnknownProperties(false); // they are ignored after they were noted
        Class<?> type = of.getBeanClass();
        if (DeclaredType.isOfKotlin(type)) {
            return builder;
        }
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
                    && isRequired(encoded, definition)) {
                required.add(each);
            }
        });
        for (int i = 0; i < required.size(); i++) {
            builder.addOrReplaceProperty(new Tracked(required.get(i), type, 1L << i), true);
        }
        if (builder.getValueInstantiator() instanceof StdValueInstantiator creator) {
            SettableBeanProperty[] parameters = creator.getFromObjectArguments(config);
            for (int i = 0; parameters != null && i < parameters.length; i++) {
                if (parameters[i] instanceof CreatorProperty parameter) {
                    BeanPropertyDefinition definition = definitions.get(parameter.getName());
                    boolean isRequired =
                            parameter.isRequired() || (definition != null && isRequired(encoded, definition));
                    parameters[i] = new Parameter(parameter, type, isRequired); // the creator's own array
                    if (builder.findProperty(parameter.getFullName()) instanceof CreatorProperty) {
                        builder.addOrReplaceProperty(parameters[i], true);
                    }
                }
            }
        }
        return builder;
    }

    @Override
    public JsonDeserializer<?> modifyDeserializer(
            DeserializationConfig config, BeanDescription of, JsonDeserializer<?> deserializer) {
        Class<?> type = of.getBeanClass();
        boolean isInner = type.isMemberClass() && !Modifier.isStatic(type.getModifiers()); // Jackson has to see it
        return deserializer instanceof BeanDeserializerBase && !isInner
                ? new Checked(deserializer, type, each -> true)
                : deserializer;
    }

    private boolean isRequired(Class<?> encoded, BeanPropertyDefinition property) {
        String name = property.getName();
        return written.computeIfAbsent(encoded, this::alwaysWritten).contains(name)
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

    /** The bean that is read at the moment, with the properties that were set, and the parameters that were not there. */
    static final class Bean {
        private final Class<?> type;
        private long bits;
        private final List<String> absent = new ArrayList<>(0);

        Bean(Class<?> type) {
            this.type = type;
        }

        /** Returns the bean, unless properties of the class are read as properties of another one, by {@code @JsonUnwrapped}. */
        static @Nullable Bean current(Class<?> type) {
            Jackson2CodecReader.Findings found = Jackson2CodecReader.findings();
            Bean current = found == null ? null : found.current;
            return current != null && current.type == type ? current : null;
        }
    }

    /** A parameter of a constructor or a factory that notes when it is not there. */
    private static final class Parameter extends CreatorProperty {
        private static final long serialVersionUID = 1;

        private final Class<?> type;
        private final boolean required;

        Parameter(CreatorProperty of, Class<?> type, boolean required) {
            super(of, of.getFullName());
            this.type = type;
            this.required = required;
        }

        private Parameter(Parameter of, PropertyName name) {
            super(of, name);
            this.type = of.type;
            this.required = of.required;
        }

        private Parameter(Parameter of, JsonDeserializer<?> deserializer, NullValueProvider nulls) {
            super(of, deserializer, nulls);
            this.type = of.type;
            this.required = of.required;
        }

        /** Jackson would end the read. */
        @Override
        public boolean isRequired() {
            return false;
        }

        @Override
        public SettableBeanProperty withName(PropertyName name) {
            return new Parameter(this, name);
        }

        @Override
        @SuppressWarnings("ReferenceEquality") // as Jackson itself
        public SettableBeanProperty withValueDeserializer(JsonDeserializer<?> deserializer) {
            return new Parameter(
                    this, deserializer, _valueDeserializer == _nullProvider ? deserializer : _nullProvider);
        }

        @Override
        public SettableBeanProperty withNullProvider(NullValueProvider nulls) {
            return new Parameter(this, _valueDeserializer, nulls);
        }

        @Override
        public NullValueProvider getNullValueProvider() {
            NullValueProvider nulls = super.getNullValueProvider();
            return new NullValueProvider() {
                @Override
                public @Nullable Object getNullValue(DeserializationContext context) throws JsonMappingException {
                    return nulls.getNullValue(context);
                }

                @Override
                public AccessPattern getNullAccessPattern() {
                    return nulls.getNullAccessPattern();
                }

                @Override
                public @Nullable Object getAbsentValue(DeserializationContext context) throws JsonMappingException {
                    Bean bean = required ? Bean.current(type) : null;
                    if (bean != null) {
                        bean.absent.add(getName());
                    }
                    Class<?> raw = getType().getRawClass();
                    return raw.isPrimitive() ? ClassUtil.defaultValue(raw) : nulls.getAbsentValue(context);
                }
            };
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
            Bean bean = Bean.current(type);
            if (bean != null) {
                bean.bits |= bit;
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

    /** A deserializer of beans that finds which properties are missing. */
    private static final class Checked extends DelegatingDeserializer {
        private final Class<?> type;
        private final Predicate<String> isWritten;
        private final List<Tracked> tracked = new ArrayList<>(0);
        private long all;

        /** With what is written at the place of the bean. */
        Checked(JsonDeserializer<?> delegate, Class<?> type, Predicate<String> isWritten) {
            super(delegate);
            this.type = type;
            this.isWritten = isWritten;
            if (delegate instanceof BeanDeserializerBase bean) {
                bean.properties().forEachRemaining(this::track);
            }
        }

        private void track(SettableBeanProperty property) {
            SettableBeanProperty inner = property;
            while (inner instanceof SettableBeanProperty.Delegating outer && !(inner instanceof Tracked)) {
                inner = outer.getDelegate();
            }
            if (inner instanceof Tracked found && isWritten.test(property.getName())) {
                tracked.add(found);
                all |= found.bit;
            }
        }

        @Override
        protected JsonDeserializer<?> newDelegatingInstance(JsonDeserializer<?> delegate) {
            return new Checked(delegate, type, isWritten);
        }

        @Override
        public JsonDeserializer<?> createContextual(DeserializationContext context, @Nullable BeanProperty property)
                throws JsonMappingException {
            JsonDeserializer<?> contextual = super.createContextual(context, property);
            AnnotatedMember member = property == null ? null : property.getMember();
            if (member == null || !(contextual instanceof Checked checked)) {
                return contextual;
            }
            AnnotationIntrospector annotations = context.getAnnotationIntrospector();
            Set<String> ignored = annotations
                    .findPropertyIgnoralByName(context.getConfig(), member)
                    .findIgnoredForSerialization();
            Set<String> included = annotations
                    .findPropertyInclusionByName(context.getConfig(), member)
                    .getIncluded();
            return ignored.isEmpty() && included == null
                    ? contextual
                    : new Checked(
                            checked._delegatee,
                            type,
                            name -> !ignored.contains(name) && (included == null || included.contains(name)));
        }

        /** Without a check: of a bean whose properties are among those of another, all are missing if it was {@code null}. */
        @Override
        @SuppressWarnings("unchecked") // as Jackson itself
        public JsonDeserializer<Object> unwrappingDeserializer(NameTransformer names) {
            return ((JsonDeserializer<Object>) _delegatee).unwrappingDeserializer(names);
        }

        @Override
        public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            Jackson2CodecReader.Findings found = Jackson2CodecReader.findings();
            boolean isObject = parser.hasToken(JsonToken.START_OBJECT)
                    || parser.hasToken(JsonToken.FIELD_NAME)
                    || parser.hasToken(JsonToken.END_OBJECT);
            if (!isObject || found == null) {
                return _delegatee.deserialize(parser, context);
            }
            Bean outer = found.current;
            Bean bean = new Bean(type);
            found.current = bean;
            try {
                Object value = _delegatee.deserialize(parser, context);
                for (Tracked each : (all & ~bean.bits) == 0 ? List.<Tracked>of() : tracked) {
                    if ((each.bit & ~bean.bits) != 0) {
                        bean.absent.add(each.getName());
                    }
                }
                return value;
            } finally {
                found.current = outer;
                for (String name : bean.absent) {
                    if (isWritten.test(name)) {
                        found.missing.add(new Jackson2CodecReader.Missing(
                                type, name, parser.getParsingContext().pathAsPointer()));
                    }
                }
            }
        }
    }
}
