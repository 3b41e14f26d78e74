package io.stampedeguard.codec;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.DeserializationConfig;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.Module;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationConfig;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.BeanDeserializerBuilder;
import com.fasterxml.jackson.databind.introspect.AnnotatedClass;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.AnnotatedMethod;
import com.fasterxml.jackson.databind.introspect.AnnotatedParameter;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import com.fasterxml.jackson.databind.jsonFormatVisitors.JsonFormatVisitorWrapper;
import com.fasterxml.jackson.databind.jsonFormatVisitors.JsonObjectFormatVisitor;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.BeanPropertyWriter;
import com.fasterxml.jackson.databind.ser.BeanSerializer;
import com.fasterxml.jackson.databind.ser.BeanSerializerModifier;
import com.fasterxml.jackson.databind.ser.ContextualSerializer;
import com.fasterxml.jackson.databind.ser.impl.UnknownSerializer;
import io.stampedeguard.codec.Findings.Names;
import java.io.IOException;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Executable;
import java.lang.reflect.Member;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds which names the JSON of a class has, for {@link Jackson2CodecBeans}. <em>Thread-safe.</em> */
final class Jackson2CodecNames {
    private final ObjectMapper mapper;

    Jackson2CodecNames(ObjectMapper mapper) {
        this.mapper = mapper;
    }

    Names of(DeserializationConfig config, BeanDescription of, BeanDeserializerBuilder builder) {
        AnnotatedMethod build = builder.getBuildMethod();
        Class<?> encoded = build == null ? of.getBeanClass() : build.getRawReturnType();
        Set<String> known = new HashSet<>();
        builder.getProperties().forEachRemaining(each -> {
            known.add(each.getName());
            each.findAliases(config).forEach(alias -> known.add(alias.getSimpleName()));
            if (each.getValueTypeDeserializer() != null) { // the name of the type may be beside the property
                known.add(each.getValueTypeDeserializer().getPropertyName());
            }
        });
        JsonTypeInfo typed = of.getClassAnnotations().get(JsonTypeInfo.class);
        if (typed != null) {
            known.add(typed.property().isEmpty() ? typed.use().getDefaultPropertyName() : typed.property());
        }
        if (of.getObjectIdInfo() != null) {
            known.add(of.getObjectIdInfo().getPropertyName().getSimpleName());
        }
        if (DeclaredType.isOfKotlin(of.getBeanClass())) { // its module finds what is missing
            return Names.of(written(encoded), known, null);
        }
        Map<String, Boolean> areOptional = new HashMap<>();
        of.findProperties().forEach(each -> areOptional.put(each.getName(), isOptional(encoded, each)));
        return Names.of(written(encoded), known, areOptional);
    }

    private static boolean isOptional(Class<?> encoded, BeanPropertyDefinition property) {
        return property.getMetadata().getDefaultValue() != null
                || DeclaredType.isOptional(encoded, property.getInternalName(), property.getRawPrimaryType())
                || isNullable(property.getField())
                || isNullable(property.getGetter())
                || isNullable(property.getConstructorParameter())
                || (property.hasSetter()
                        && DeclaredType.isNullable(property.getSetter().getAnnotated(), 0));
    }

    private static boolean isNullable(@Nullable AnnotatedMember member) {
        if (member instanceof AnnotatedParameter parameter) {
            return DeclaredType.isNullable((Executable) parameter.getOwner().getMember(), parameter.getIndex());
        }
        return member != null && member.getMember() instanceof AnnotatedElement of && DeclaredType.isNullable(of);
    }

    /** Returns the properties that the mapper writes, and whether it does so whatever their values are. */
    private Map<String, Boolean> written(Class<?> type) {
        Map<String, Boolean> found = new HashMap<>();
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
                            boolean isAlways =
                                    property instanceof BeanPropertyWriter writer && new Suppression(writer).isNone();
                            found.put(property.getName(), isAlways);
                        }
                    };
                }
            });
        } catch (JsonMappingException | RuntimeException e) { // it cannot be encoded: nothing is known of it
            return Map.of();
        }
        return found;
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

    /** Finds classes of which Jackson writes nothing, though they have fields. */
    static final class HiddenFields extends BeanSerializerModifier {
        private static final long serialVersionUID = 1;

        /** Returns these as what a builder takes, so that its caller is linked without Jackson. */
        static Module module() {
            return new SimpleModule("stampede-fields").setSerializerModifier(new HiddenFields());
        }

        @Override
        public JsonSerializer<?> modifySerializer(
                SerializationConfig config, BeanDescription of, JsonSerializer<?> serializer) {
            boolean isEmpty = serializer instanceof UnknownSerializer
                    || (serializer.getClass() == BeanSerializer.class
                            && !serializer.properties().hasNext());
            return isEmpty && isHidden(config, of.getClassInfo())
                    ? new HiddenWriter(of.getType(), serializer)
                    : serializer;
        }

        private static boolean isHidden(SerializationConfig config, AnnotatedClass type) {
            List<Member> members = new ArrayList<>();
            type.fields().forEach(each -> members.add(each.getMember()));
            type.memberMethods().forEach(each -> members.add(each.getMember()));
            return config.findMixInClassFor(type.getRawType()) == null
                    && DeclaredType.isHidden(type.getRawType(), members);
        }
    }

    /** Writes no value of a hidden class, or with an element of it: others would get it without its contents. A part is written. */
    private static final class HiddenWriter extends UnknownSerializer implements ContextualSerializer {
        private static final long serialVersionUID = 1;

        private final JavaType type;
        private final transient JsonSerializer<?> ofPart;

        HiddenWriter(JavaType type, JsonSerializer<?> ofPart) {
            super(type.getRawClass());
            this.type = type;
            this.ofPart = ofPart;
        }

        @Override
        public JsonSerializer<?> createContextual(SerializerProvider context, @Nullable BeanProperty property)
                throws JsonMappingException {
            return property == null ? this : context.handleSecondaryContextualization(ofPart, property);
        }

        @Override
        public void serialize(Object value, JsonGenerator generator, SerializerProvider context) throws IOException {
            context.reportBadDefinition(type, DeclaredType.hidden(type.getRawClass()));
        }
    }
}
