package io.stampedeguard.spring.internal.value;

import java.lang.reflect.Array;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Copies of values of one declared type without a codec: values that cannot be changed stand for themselves, and containers of such are
 * copied, unless they are immutable as well. <em>Thread-safe.</em>
 */
final class Copies {
    /** The usual containers, by exactly these classes: a subclass may have more than its elements. */
    private static final Map<Class<?>, UnaryOperator<Object>> CONTAINERS = Map.of(
            ArrayList.class, all -> new ArrayList<>((List<?>) all),
            HashSet.class, all -> new HashSet<>((HashSet<?>) all),
            LinkedHashSet.class, all -> new LinkedHashSet<>((LinkedHashSet<?>) all),
            HashMap.class, all -> new HashMap<>((HashMap<?, ?>) all),
            LinkedHashMap.class, all -> new LinkedHashMap<>((LinkedHashMap<?, ?>) all));

    private static final String IMMUTABLE_CONTAINERS = "java.util.ImmutableCollections$";

    private final boolean isImmutable;
    private final boolean areElementsImmutable;

    Copies(Type type) {
        List<Type> arguments = type instanceof GenericArrayType array
                ? List.of(array.getGenericComponentType())
                : type instanceof Class<?> plain && plain.isArray()
                        ? List.of(plain.getComponentType())
                        : SignatureTypes.arguments(type);
        isImmutable = Immutability.isImmutable(type);
        areElementsImmutable = !arguments.isEmpty() && arguments.stream().allMatch(Immutability::isImmutable);
    }

    /** Returns a copy of a value, or the value itself if it cannot be changed; {@code null} if only its codec can copy it. */
    @Nullable
    Object cheapCopy(Object value) {
        Class<?> type = value.getClass();
        if (isImmutable || Immutability.isImmutable(type)) {
            return value;
        }
        if (!areElementsImmutable) {
            return null;
        }
        if (type.getName().startsWith(IMMUTABLE_CONTAINERS)) {
            return value;
        }
        if (type.isArray()) {
            int length = Array.getLength(value);
            Object copy = Array.newInstance(type.getComponentType(), length);
            System.arraycopy(value, 0, copy, 0, length);
            return copy;
        }
        UnaryOperator<Object> container = CONTAINERS.get(type);
        return container == null ? null : container.apply(value);
    }
}
