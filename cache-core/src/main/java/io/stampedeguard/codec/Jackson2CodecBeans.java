package io.stampedeguard.codec;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.AnnotationIntrospector;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.DeserializationConfig;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyName;
import com.fasterxml.jackson.databind.deser.BeanDeserializerBase;
import com.fasterxml.jackson.databind.deser.BeanDeserializerBuilder;
import com.fasterxml.jackson.databind.deser.BeanDeserializerModifier;
import com.fasterxml.jackson.databind.deser.CreatorProperty;
import com.fasterxml.jackson.databind.deser.NullValueProvider;
import com.fasterxml.jackson.databind.deser.SettableBeanProperty;
import com.fasterxml.jackson.databind.deser.impl.BeanAsArrayBuilderDeserializer;
import com.fasterxml.jackson.databind.deser.impl.BeanAsArrayDeserializer;
import com.fasterxml.jackson.databind.deser.std.DelegatingDeserializer;
import com.fasterxml.jackson.databind.deser.std.StdValueInstantiator;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.util.AccessPattern;
import com.fasterxml.jackson.databind.util.ClassUtil;
import com.fasterxml.jackson.databind.util.NameTransformer;
import io.stampedeguard.codec.Findings.Names;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds the properties of beans that JSON lacks, for {@link Jackson2CodecReader}. Kotlin's module does so for Kotlin's classes.
 * <em>Thread-safe.</em>
 */
final class Jackson2CodecBeans extends BeanDeserializerModifier {
    private static final long serialVersionUID = 1;
    private static final int MOST_TRACKED = Long.SIZE;

    private final transient Jackson2CodecNames names;
    private final transient Map<Class<?>, Names> found = new ConcurrentHashMap<>();

    Jackson2CodecBeans(ObjectMapper mapper) {
        this.names = new Jackson2CodecNames(mapper);
    }

    @Override
    public BeanDeserializerBuilder updateBuilder(
            DeserializationConfig config, BeanDescription of, BeanDeserializerBuilder builder) {
        Class<?> type = of.getBeanClass();
        Names ofType = names.of(config, of, builder);
        if (!builder.getValueInstantiator().canCreateUsingDelegate()) { // the object would be that of the delegate
            found.put(type, ofType);
        }
        if (DeclaredType.isOfKotlin(type)) {
            return builder;
        }
        List<SettableBeanProperty> tracked = new ArrayList<>();
        builder.getProperties().forEachRemaining(each -> {
            if (!(each instanceof CreatorProperty)
                    && ofType.required().contains(each.getName())
                    && tracked.size() < MOST_TRACKED) {
                tracked.add(each);
            }
        });
        for (int i = 0; i < tracked.size(); i++) {
            builder.addOrReplaceProperty(new Tracked(tracked.get(i), type, 1L << i), true);
        }
        if (builder.getValueInstantiator() instanceof StdValueInstantiator creator) {
            SettableBeanProperty[] parameters = creator.getFromObjectArguments(config);
            for (int i = 0; parameters != null && i < parameters.length; i++) {
                if (parameters[i] instanceof CreatorProperty parameter) {
                    boolean isRequired =
                            parameter.isRequired() || ofType.required().contains(parameter.getName());
                    parameters[i] = new Parameter(parameter, isRequired ? type : null); // the creator's own array
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
                ? new Checked(
                        deserializer, new Findings.Check(type, found.getOrDefault(type, Names.NONE), each -> true))
                : deserializer;
    }

    /** A parameter of a constructor or a factory that notes when it is not there. */
    private static final class Parameter extends CreatorProperty {
        private static final long serialVersionUID = 1;

        /** The class that requires it; {@code null} if it is optional. */
        private final @Nullable Class<?> type;

        Parameter(CreatorProperty of, @Nullable Class<?> type) {
            super(of, of.getFullName());
            this.type = type;
        }

        private Parameter(Parameter of, PropertyName name) {
            super(of, name);
            this.type = of.type;
        }

        private Parameter(Parameter of, JsonDeserializer<?> deserializer, NullValueProvider nulls) {
            super(of, deserializer, nulls);
            this.type = of.type;
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
                    if (type != null) {
                        Findings.noteAbsent(type, getName());
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

        @Override
        public void deserializeAndSet(JsonParser parser, DeserializationContext context, Object bean)
                throws IOException {
            Findings.noteSet(type, bit);
            delegate.deserializeAndSet(parser, context, bean);
        }

        @Override
        public Object deserializeSetAndReturn(JsonParser parser, DeserializationContext context, Object bean)
                throws IOException {
            Findings.noteSet(type, bit);
            return delegate.deserializeSetAndReturn(parser, context, bean);
        }

        /** Sets what was read before there was a bean. */
        @Override
        public void set(Object bean, Object value) throws IOException {
            Findings.noteSet(type, bit);
            delegate.set(bean, value);
        }

        @Override
        public Object setAndReturn(Object bean, Object value) throws IOException {
            Findings.noteSet(type, bit);
            return delegate.setAndReturn(bean, value);
        }
    }

    /** A deserializer of beans that finds which properties are missing. */
    private static final class Checked extends DelegatingDeserializer {
        private final Findings.Check check;
        private final boolean isArray;

        Checked(JsonDeserializer<?> delegate, Findings.Check check) {
            super(delegate);
            this.check = new Findings.Check(check);
            this.isArray =
                    delegate instanceof BeanAsArrayDeserializer || delegate instanceof BeanAsArrayBuilderDeserializer;
            if (delegate instanceof BeanDeserializerBase bean) {
                bean.properties().forEachRemaining(this::track);
            }
        }

        private void track(SettableBeanProperty property) {
            SettableBeanProperty inner = property;
            while (inner instanceof SettableBeanProperty.Delegating outer && !(inner instanceof Tracked)) {
                inner = outer.getDelegate();
            }
            if (inner instanceof Tracked found) {
                check.track(found.getName(), found.bit);
            }
        }

        @Override
        protected JsonDeserializer<?> newDelegatingInstance(JsonDeserializer<?> delegate) {
            return new Checked(delegate, check);
        }

        @Override
        public JsonDeserializer<?> createContextual(DeserializationContext context, @Nullable BeanProperty property)
                throws JsonMappingException {
            JsonDeserializer<?> contextual = super.createContextual(context, property);
            AnnotatedMember member = property == null ? null : property.getMember();
            if (member == null || !(contextual instanceof Checked checked)) {
                return contextual;
            }
            DeserializationConfig config = context.getConfig();
            AnnotationIntrospector annotations = context.getAnnotationIntrospector();
            boolean isWrittenByOthers =
                    annotations.findSerializer(member) != null || annotations.findContentSerializer(member) != null;
            Set<String> ignored =
                    annotations.findPropertyIgnoralByName(config, member).findIgnoredForSerialization();
            Set<String> included =
                    annotations.findPropertyInclusionByName(config, member).getIncluded();
            Findings.Check here = check.at(isWrittenByOthers, ignored, included);
            return here.equals(check) ? contextual : new Checked(checked._delegatee, here);
        }

        /** Without a check: of a bean whose properties are among those of another, all are missing if it was {@code null}. */
        @Override
        @SuppressWarnings("unchecked") // as Jackson itself
        public JsonDeserializer<Object> unwrappingDeserializer(NameTransformer names) {
            return ((JsonDeserializer<Object>) _delegatee).unwrappingDeserializer(names);
        }

        @Override
        public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            Findings found = Findings.current();
            boolean isWhole = isArray
                    ? parser.hasToken(JsonToken.START_ARRAY)
                    : parser.hasToken(JsonToken.START_OBJECT)
                            || parser.hasToken(JsonToken.FIELD_NAME)
                            || parser.hasToken(JsonToken.END_OBJECT);
            if (!isWhole || found == null) {
                return _delegatee.deserialize(parser, context);
            }
            found.beginBean(check);
            boolean isRead = false;
            try {
                Object value = found.comparesNames
                        ? compared(found, parser, context)
                        : _delegatee.deserialize(parser, context);
                isRead = true;
                return value;
            } finally {
                found.endBean(check, isRead);
            }
        }

        /** Compares the names, and reads the value; returns {@code null} if it cannot be made because something is missing. */
        private @Nullable Object compared(Findings found, JsonParser parser, DeserializationContext context)
                throws IOException {
            JsonNode json = context.readTree(parser);
            Set<String> present = new HashSet<>();
            json.fieldNames().forEachRemaining(present::add);
            if (isArray) {
                ((BeanDeserializerBase) _delegatee).properties().forEachRemaining(each -> {
                    if (present.size() < json.size()) {
                        present.add(each.getName());
                    }
                });
            }
            found.compare(check, present);
            JsonParser again = json.traverse(parser.getCodec());
            again.nextToken();
            try {
                return _delegatee.deserialize(again, context);
            } catch (JsonMappingException | RuntimeException e) {
                if (!found.explain(e, check, present)) {
                    throw e;
                }
                return null;
            }
        }
    }
}
