package io.stampedeguard.internal.codec;

import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds values of which JSON has nothing, though they have fields: others would get an object without its contents. */
public final class EmptyObjects {
    private EmptyObjects() {}

    /** Returns whether the JSON of a value may have an empty object in place of the value, or of an element of it. */
    public static boolean mayBeIn(byte[] json, Object value) {
        for (int i = 0; i + 1 < json.length; i++) {
            if (json[i] == '{') {
                if (json[i + 1] == '}') {
                    return true;
                }
                if (!(value instanceof Map)) { // the first object shows what the others are
                    return false;
                }
            }
        }
        return false;
    }

    /**
     * Returns why a value must not be encoded; {@code null} if it may be.
     *
     * @param type of an object that has no properties
     * @param within what contains it, from the value on
     */
    public static @Nullable RuntimeException lost(Class<?> type, Stream<?> within, Exception cause) {
        return hasFields(type) && within.allMatch(EmptyObjects::hasOnlyElements)
                ? new IllegalArgumentException(
                        "JSON has nothing of " + type.getTypeName()
                                + ", as it has neither getters nor public fields: return a record, or use another codec",
                        cause)
                : null;
    }

    private static boolean hasOnlyElements(@Nullable Object container) {
        return container instanceof Iterable
                || container instanceof Map
                || container instanceof Optional
                || (container != null && container.getClass().isArray());
    }

    private static boolean hasFields(Class<?> type) {
        return Stream.<Class<?>>iterate(type, each -> each != null, Class::getSuperclass)
                .flatMap(each -> Stream.of(each.getDeclaredFields()))
                .anyMatch(field ->
                        !field.isSynthetic() && (field.getModifiers() & (Modifier.STATIC | Modifier.TRANSIENT)) == 0);
    }
}
