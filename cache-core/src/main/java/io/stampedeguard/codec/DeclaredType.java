package io.stampedeguard.codec;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** What the codecs for JSON need to know of a class: its name in entries, which properties may be missing, and which are hidden. */
final class DeclaredType {
    private static final String FORMAT = "json:";

    private DeclaredType() {}

    /** Returns the identity of JSON of a type with the given name; a name that is too long is cut, and ends with its checksum. */
    static CodecIdentity identity(String name, int version) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("the name of the type is blank");
        }
        StringBuilder id = new StringBuilder(FORMAT);
        name.chars().forEach(each -> {
            if (each > ' ' && each <= '~') {
                id.append((char) each);
            } else {
                id.append('\\').append(Integer.toHexString(each));
            }
        });
        return CodecIdentity.shortened(id.toString(), name, version);
    }

    /** Returns a name that differs for types that differ, such as {@code java.util.List<com.acme.User>}. */
    static String name(Type type) {
        return name(type, new HashSet<>());
    }

    private static String name(Type type, Set<Type> within) {
        if (type instanceof Class<?> plain) {
            return plain.isArray() ? name(plain.getComponentType(), within) + "[]" : plain.getName();
        }
        if (type instanceof GenericArrayType array) {
            return name(array.getGenericComponentType(), within) + "[]";
        }
        if (type instanceof ParameterizedType generic) {
            Class<?> raw = (Class<?>) generic.getRawType();
            String name = generic.getOwnerType() instanceof ParameterizedType owner
                    ? name(owner, within) + "." + raw.getSimpleName()
                    : raw.getName();
            Type[] arguments = generic.getActualTypeArguments();
            return arguments.length == 0 ? name : name + "<" + names(arguments, ",", within) + ">";
        }
        if (type instanceof WildcardType wildcard) {
            Type[] lower = wildcard.getLowerBounds();
            return lower.length == 0
                    ? "?:" + names(wildcard.getUpperBounds(), "&", within)
                    : "?super:" + names(lower, "&", within);
        }
        if (type instanceof TypeVariable<?> variable) {
            if (!within.add(variable)) {
                return variable.getName();
            }
            String bounds = names(variable.getBounds(), "&", within);
            within.remove(variable);
            return variable.getName() + ":" + bounds;
        }
        return type.getTypeName();
    }

    private static String names(Type[] types, String separator, Set<Type> within) {
        return String.join(
                separator, Stream.of(types).map(each -> name(each, within)).toList());
    }

    /** Returns whether a class decides by itself, by its language, which of its properties may be missing. */
    static boolean isOfKotlin(Class<?> type) {
        return Arrays.stream(type.getAnnotations())
                .anyMatch(each -> each.annotationType().getName().equals("kotlin.Metadata"));
    }

    /** Returns whether a property may be missing by its type, or because the field of its name is nullable. */
    static boolean isOptional(Class<?> owner, String name, Class<?> type) {
        return type.getSimpleName().startsWith("Optional") || isNullableField(owner, name);
    }

    private static boolean isNullableField(Class<?> owner, String name) {
        for (Class<?> type = owner; type != null; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (field.getName().equals(name)) {
                    return isNullable(field);
                }
            }
        }
        return false;
    }

    /** Returns whether a field is nullable, or what a method returns. */
    static boolean isNullable(AnnotatedElement of) {
        return isMarked(of)
                || (of instanceof Field field && isMarked(field.getAnnotatedType()))
                || (of instanceof Method method && isMarked(method.getAnnotatedReturnType()));
    }

    /** Returns whether a parameter of a constructor, a factory, or a setter is nullable. */
    static boolean isNullable(Executable of, int parameter) {
        return parameter < of.getParameterCount()
                && (isMarked(of.getParameters()[parameter])
                        || isMarked(of.getParameters()[parameter].getAnnotatedType()));
    }

    /**
     * Returns whether a class of which the mapper writes nothing loses its fields: nobody has chosen that by an annotation of
     * Jackson, or by leaving out a public field or getter.
     */
    static boolean isHidden(Class<?> type, List<Member> members) {
        return members.stream().anyMatch(each -> each instanceof Field && !Modifier.isTransient(each.getModifiers()))
                && members.stream().noneMatch(each -> isVisible(each) || isOfJackson((AnnotatedElement) each))
                && supertypes(type).noneMatch(DeclaredType::isOfJackson);
    }

    private static boolean isVisible(Member member) {
        boolean isReadable = !(member instanceof Method method)
                || (method.getParameterCount() == 0
                        && (method.getName().startsWith("get")
                                || method.getName().startsWith("is")));
        return isReadable && Modifier.isPublic(member.getModifiers());
    }

    /** Returns whether an element has an annotation of Jackson, or a bundle of those. */
    private static boolean isOfJackson(AnnotatedElement of) {
        return Arrays.stream(of.getAnnotations())
                .flatMap(each -> Arrays.stream(each.annotationType().getAnnotations()))
                .anyMatch(each -> each.annotationType()
                        .getName()
                        .startsWith("com.fasterxml.jackson.annotation.JacksonAnnotation"));
    }

    private static Stream<Class<?>> supertypes(Class<?> type) {
        return Stream.concat(
                Stream.of(type),
                Stream.concat(Stream.ofNullable(type.getSuperclass()), Stream.of(type.getInterfaces()))
                        .flatMap(DeclaredType::supertypes));
    }

    /** Returns why a value of a hidden class is not encoded. */
    static String hidden(Class<?> type) {
        return "JSON has nothing of " + type.getTypeName()
                + ", as it has neither getters nor public fields: add getters or @JsonProperty, return a record, or use another codec";
    }

    private static boolean isMarked(AnnotatedElement of) {
        return Arrays.stream(of.getAnnotations())
                .map(each -> each.annotationType().getSimpleName())
                .anyMatch(each -> each.equals("Nullable") || each.equals("CheckForNull"));
    }
}
