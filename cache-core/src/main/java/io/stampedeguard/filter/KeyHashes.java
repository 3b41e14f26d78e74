package io.stampedeguard.filter;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import io.stampedeguard.codec.KeyText;
import java.util.UUID;

/** Hashes keys by XXH3, a published function whose values do not change (Y. Collet, xxHash, doc/xxhash_spec.md). Pure. */
final class KeyHashes {
    private static final Hasher64 XXH3 = Hashing.xxh3_64();
    private static final KeyText<Object> TEXT = KeyText.standard();

    private KeyHashes() {}

    static long standard(Object key) {
        if (key instanceof Long || key instanceof Integer || key instanceof Short || key instanceof Byte) {
            return XXH3.hashLongToLong(((Number) key).longValue());
        }
        if (key instanceof UUID uuid) {
            return XXH3.hashLongLongToLong(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
        }
        return ofText(key instanceof String text ? text : TEXT.of(key));
    }

    static long ofText(String text) {
        return XXH3.hashCharsToLong(text);
    }
}
