package io.stampedeguard.codec;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.stampedeguard.codec.Findings.Names;
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
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.deser.BeanDeserializerBuilder;
import tools.jackson.databind.introspect.AnnotatedClass;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.AnnotatedMethod;
import tools.jackson.databind.introspect.AnnotatedParameter;
import tools.jackson.databind.introspect.BeanPropertyDefinition;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsonFormatVisitors.JsonFormatVisitorWrapper;
import tools.jackson.databind.jsonFormatVisitors.JsonObjectFormatVisitor;
import tools.jackson.databind.ser.BeanPropertyWriter;
import tools.jackson.databind.ser.BeanSerializer;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.impl.UnknownSerializer;

/** Finds which names the JSON of a class has, for {@link JsonCodecBeans}. <em>Thread-safe.</em> */
final class JsonCodecNames {
    private final JsonMapper mapper;

    JsonCodecNames(JsonMapper mapper) {
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
                    return new JsonObjectFormatVisitor.Base(getContext()) {
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
        } catch (RuntimeException e) { // it cannot be encoded: nothing is known of it
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
    static final class HiddenFields extends ValueSerializerModifier {
        private static final long serialVersionUID = 1;

        @Override
        public ValueSerializer<?> modifySerializer(
                SerializationConfig config, BeanDescription.Supplier of, ValueSerializer<?> serializer) {
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
    private static final class HiddenWriter extends UnknownSerializer {
        private final JavaType type;
        private final ValueSerializer<?> ofPart;

        HiddenWriter(JavaType type, ValueSerializer<?> ofPart) {
            super(type.getRawClass());
            this.type = type;
            this.ofPart = ofPart;
        }

        @Override
        public ValueSerializer<?> createContextual(SerializationContext context, @Nullable BeanProperty property) {
            return property == null ? this : context.handleSecondaryContextualization(ofPart, property);
        }

        @Override
        public void serialize(Object value, JsonGenerator generator, SerializationContext context) {
            context.reportBadDefinition(type, DeclaredType.hidden(type.getRawClass()));
        }
    }
}
