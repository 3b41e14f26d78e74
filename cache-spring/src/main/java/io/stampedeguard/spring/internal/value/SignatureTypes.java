package io.stampedeguard.spring.internal.value;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * Types in signatures as types of values. They are normal: classes, classes with type arguments, and arrays of these; variables are
 * resolved or replaced by their bounds, and wildcards by theirs. So equal ones are equal, whichever signature they are from.
 */
final class SignatureTypes {
    private static final String CONTINUATION = "kotlin.coroutines.Continuation";
    private static final int DEEPEST = 16;

    private SignatureTypes() {}

    /** An array of a type with type arguments. */
    private record ArrayOf(Type component) implements GenericArrayType {
        @Override
        public Type getGenericComponentType() {
            return component;
        }
    }

    /**
     * Returns the type of the values that a method returns, now or later: several of a {@code Flux} are a list.
     *
     * @param owners the class of the bean, and the interfaces of its proxy: the first that resolves the type does
     */
    static Type valueTypeOf(Method method, List<Class<?>> owners) {
        Stored found = null;
        for (Class<?> owner : owners) {
            if (method.getDeclaringClass().isAssignableFrom(owner)) {
                Stored stored = stored(method, owner);
                if (isResolved(stored.type.getType(), owner, 0)) {
                    return stored.normal();
                }
                found = found == null ? stored : found;
            }
        }
        return (found == null ? stored(method, method.getDeclaringClass()) : found).normal();
    }

    /** What of a method's results is stored. */
    private record Stored(ResolvableType type, boolean isSeveral) {
        Type normal() {
            Type one = SignatureTypes.normal(type, new HashSet<>());
            return isSeveral
                    ? ResolvableType.forClassWithGenerics(List.class, ResolvableType.forType(one))
                            .getType()
                    : one;
        }
    }

    private static Stored stored(Method method, Class<?> owner) {
        int last = method.getParameterCount() - 1;
        if (last >= 0 && method.getParameterTypes()[last].getName().equals(CONTINUATION)) {
            return new Stored(
                    ResolvableType.forMethodParameter(method, last, owner).getGeneric(0), false);
        }
        ResolvableType returned = ResolvableType.forMethodReturnType(method, owner);
        Class<?> raw = returned.toClass();
        if (raw == Optional.class) {
            return new Stored(returned.getGeneric(0), false);
        }
        if (CompletableFuture.class.isAssignableFrom(raw)) {
            ResolvableType later = returned.as(CompletableFuture.class).getGeneric(0);
            return new Stored(later.toClass() == Optional.class ? later.getGeneric(0) : later, false);
        }
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(raw);
        if (adapter == null || adapter.isNoValue()) {
            return new Stored(returned, false);
        }
        return new Stored(returned.getGeneric(0), adapter.isMultiValue());
    }

    /** Returns whether a class knows each variable of a type in a signature that it inherits. */
    private static boolean isResolved(Type type, Class<?> owner, int depth) {
        if (type instanceof ParameterizedType generic) {
            return areResolved(generic.getActualTypeArguments(), owner, depth);
        }
        if (type instanceof GenericArrayType array) {
            return isResolved(array.getGenericComponentType(), owner, depth);
        }
        if (type instanceof WildcardType wildcard) {
            return areResolved(wildcard.getUpperBounds(), owner, depth)
                    && areResolved(wildcard.getLowerBounds(), owner, depth);
        }
        if (!(type instanceof TypeVariable<?> variable)) {
            return true;
        }
        if (depth > DEEPEST
                || !(variable.getGenericDeclaration() instanceof Class<?> declaring)
                || !declaring.isAssignableFrom(owner)) {
            return false;
        }
        int index = Arrays.asList(declaring.getTypeParameters()).indexOf(variable);
        Type known =
                ResolvableType.forClass(owner).as(declaring).getGeneric(index).getType();
        return !known.equals(variable) && isResolved(known, owner, depth + 1);
    }

    private static boolean areResolved(Type[] types, Class<?> owner, int depth) {
        return Arrays.stream(types).allMatch(each -> isResolved(each, owner, depth));
    }

    /** Returns a type as a normal one. */
    static Type normal(Type type) {
        return normal(ResolvableType.forType(type), new HashSet<>());
    }

    private static Type normal(ResolvableType type, Set<Type> variables) {
        if (type.isArray()) {
            Class<?> plainComponent = type.getComponentType().toClass();
            Type component = plainComponent.isPrimitive() ? plainComponent : normal(type.getComponentType(), variables);
            return component instanceof Class<?> plain ? plain.arrayType() : new ArrayOf(component);
        }
        Class<?> raw = type.resolve(Object.class);
        if (raw == void.class) {
            return Void.class;
        }
        boolean isVariable = type.getType() instanceof TypeVariable;
        if (type.getType() instanceof Class || !type.hasGenerics() || (isVariable && !variables.add(type.getType()))) {
            return ClassUtils.resolvePrimitiveIfNecessary(raw);
        }
        ResolvableType[] arguments = Arrays.stream(type.getGenerics())
                .map(each -> ResolvableType.forType(normal(each, variables)))
                .toArray(ResolvableType[]::new);
        if (isVariable) {
            variables.remove(type.getType());
        }
        return ResolvableType.forClassWithGenerics(raw, arguments).getType();
    }

    /** Returns the class of a normal type. */
    static Class<?> raw(Type type) {
        return ResolvableType.forType(type).toClass();
    }

    /** Returns the full name of a normal type, such as {@code java.util.List<com.acme.Product>}: different for different types. */
    static String name(Type type) {
        return name(type, Class::getName);
    }

    /** Returns the name of a normal type for messages, such as {@code List<Product>}. */
    static String shown(Type type) {
        return name(type, Class::getSimpleName);
    }

    private static String name(Type type, Function<Class<?>, String> ofClass) {
        if (type instanceof Class<?> plain) {
            return plain.isArray() ? name(plain.getComponentType(), ofClass) + "[]" : ofClass.apply(plain);
        }
        if (type instanceof GenericArrayType array) {
            return name(array.getGenericComponentType(), ofClass) + "[]";
        }
        if (type instanceof ParameterizedType generic) {
            return ofClass.apply((Class<?>) generic.getRawType())
                    + Arrays.stream(generic.getActualTypeArguments())
                            .map(each -> name(each, ofClass))
                            .collect(Collectors.joining(",", "<", ">"));
        }
        throw new IllegalArgumentException("not a normal type: " + type);
    }

    /** Returns the type arguments of a normal type, none if it has none. */
    static List<Type> arguments(Type type) {
        return type instanceof ParameterizedType generic ? List.of(generic.getActualTypeArguments()) : List.of();
    }

    /** Returns the name of a method for messages, such as {@code ProductService.search}. */
    static @Nullable String name(@Nullable Method method) {
        return method == null
                ? null
                : ClassUtils.getUserClass(method.getDeclaringClass()).getSimpleName() + "." + method.getName();
    }
}
