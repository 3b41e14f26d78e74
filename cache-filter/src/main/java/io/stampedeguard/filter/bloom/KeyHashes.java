package io.stampedeguard.filter.bloom;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import io.stampedeguard.codec.KeyEncoder;
import java.util.UUID;

/**
 * Hashes keys by their texts, by XXH3, a published function whose values do not change (Y. Collet, xxHash, doc/xxhash_spec.md).
 * A text that is the one of a {@code long} or of a {@link UUID} is hashed as its bits, so for keys of these types, no text is
 * needed. Pure; allocates nothing for them and for strings.
 */
final class KeyHashes {
    private static final Hasher64 XXH3 = Hashing.xxh3_64();
    private static final KeyEncoder<Object> TEXT = KeyEncoder.standard();
    private static final String HIGHEST = Long.toString(Long.MAX_VALUE);
    private static final String LOWEST = Long.toString(Long.MIN_VALUE);
    private static final int UUID_LENGTH = 36;

    private KeyHashes() {}

    static long standard(Object key) {
        if (key instanceof Long || key instanceof Integer || key instanceof Short || key instanceof Byte) {
            return ofNumber(((Number) key).longValue());
        }
        if (key instanceof UUID uuid) {
            return ofUuid(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
        }
        return ofText(key instanceof String text ? text : TEXT.of(key));
    }

    static long ofText(String text) {
        if (isNumber(text)) {
            return ofNumber(Long.parseLong(text));
        }
        if (isUuid(text)) {
            return ofUuid(halfOfUuid(text, 0, 18), halfOfUuid(text, 19, UUID_LENGTH));
        }
        return XXH3.hashCharsToLong(text);
    }

    private static long ofNumber(long number) {
        return XXH3.hashLongToLong(number);
    }

    private static long ofUuid(long mostSignificant, long leastSignificant) {
        return XXH3.hashLongLongToLong(mostSignificant, leastSignificant);
    }

    /** Returns whether a text is what {@code Long.toString} returns for some number. */
    private static boolean isNumber(String text) {
        String limit = text.startsWith("-") ? LOWEST : HIGHEST;
        int first = text.startsWith("-") ? 1 : 0;
        int length = text.length();
        if (length == first || length > limit.length()) {
            return false;
        }
        for (int at = first; at < length; at++) {
            if (text.charAt(at) < '0' || text.charAt(at) > '9') {
                return false;
            }
        }
        if (text.charAt(first) == '0') {
            return length == 1;
        }
        return length < limit.length() || text.compareTo(limit) <= 0;
    }

    /** Returns whether a text is what {@code UUID.toString} returns for some UUID. */
    private static boolean isUuid(String text) {
        if (text.length() != UUID_LENGTH) {
            return false;
        }
        for (int at = 0; at < UUID_LENGTH; at++) {
            char next = text.charAt(at);
            boolean isDigit = (next >= '0' && next <= '9') || (next >= 'a' && next <= 'f');
            if (isHyphenInUuid(at) ? next != '-' : !isDigit) {
                return false;
            }
        }
        return true;
    }

    private static boolean isHyphenInUuid(int at) {
        return at == 8 || at == 13 || at == 18 || at == 23;
    }

    private static long halfOfUuid(String text, int from, int to) {
        long half = 0;
        for (int at = from; at < to; at++) {
            if (!isHyphenInUuid(at)) {
                half = half << 4 | Character.digit(text.charAt(at), 16);
            }
        }
        return half;
    }
}
