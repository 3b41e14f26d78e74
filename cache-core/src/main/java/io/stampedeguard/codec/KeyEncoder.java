package io.stampedeguard.codec;

import io.stampedeguard.internal.failure.ShownText;
import java.lang.invoke.MethodType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.UUID;

/**
 * A function that encodes a key as the text under which it is stored. Equal keys have equal texts, different keys have
 * different texts, in all processes and for as long as entries live. Implementations are <em>thread-safe</em>.
 *
 * @param <K> the type of the keys
 */
@FunctionalInterface
public interface KeyEncoder<K> {
    /**
     * {@return the text of a key; may be empty}
     *
     * @param key the key
     * @throws IllegalArgumentException if this key cannot be encoded
     */
    String of(K key);

    /**
     * {@return the standard encoding: the text of strings, numbers, UUIDs, enums (by name), characters, and booleans} It rejects
     * all other types, because the {@code toString} of a class may change or be the same for different keys. Numbers are the
     * eight immutable types of {@code java.lang} and {@code java.math}. Keys of one cache must have one type: {@code 1} and
     * {@code "1"} have the same text.
     *
     * @param <K> the type of the keys
     */
    static <K> KeyEncoder<K> standard() {
        return key -> {
            if (key instanceof String text) {
                return text;
            }
            if (key instanceof Enum<?> constant) {
                return constant.name();
            }
            if (hasOneText(key.getClass())) {
                return key.toString();
            }
            throw new IllegalArgumentException("a key of type " + key.getClass().getName()
                    + " has no standard text: set a keyEncoder(...) in the builder");
        };
    }

    /**
     * {@return whether the {@linkplain #standard() standard encoding} encodes the keys of a type}
     *
     * @param keyType the type; a primitive one stands for that of its objects
     */
    static boolean isStandard(Class<?> keyType) {
        return keyType == String.class
                || Enum.class.isAssignableFrom(keyType)
                || hasOneText(MethodType.methodType(keyType).wrap().returnType());
    }

    /**
     * Returns whether the {@code toString} of a type never changes and differs for different keys: exactly these types, no
     * subclasses, since one of {@code Number} may be mutable, or have the same text for different keys.
     */
    private static boolean hasOneText(Class<?> type) {
        return type == Long.class
                || type == Integer.class
                || type == UUID.class
                || type == Short.class
                || type == Byte.class
                || type == Double.class
                || type == Float.class
                || type == BigInteger.class
                || type == BigDecimal.class
                || type == Character.class
                || type == Boolean.class;
    }

    /**
     * {@return a text as messages show it: quoted, shortened, and with control characters escaped}
     *
     * @param text any text
     */
    static String shown(String text) {
        return ShownText.of(text);
    }

    /**
     * {@return the text of another process as messages contain it, such as the message of its exception: shortened to 500
     * characters, and with control characters, line breaks, and invisible characters escaped} Otherwise the same string.
     *
     * @param text any text
     */
    static String printable(String text) {
        return ShownText.printable(text);
    }
}
