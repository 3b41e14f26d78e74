package io.stampedeguard.filter.bloom;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.internal.failure.RequiredJar;

/**
 * A function that hashes a key to 64 evenly distributed bits. It returns the same hash in all processes and versions, because
 * filters are stored for a long time. Implementations are <em>thread-safe</em> and pure.
 *
 * @param <K> the type of the keys
 */
@FunctionalInterface
public interface KeyHash<K> {
    /**
     * {@return the hash of a key: 64 evenly distributed bits}
     *
     * @param key the key
     * @throws IllegalArgumentException if the key cannot be hashed
     */
    long of(K key);

    /**
     * {@return the hash of the {@link KeyEncoder#standard()} of a key} So {@code 7}, {@code 7L}, and {@code "7"} have the same hash.
     * No allocation for integral numbers, {@code UUID}, and {@code String}.
     *
     * @param <K> the type of the keys
     * @throws IllegalStateException if {@code com.dynatrace.hash4j:hash4j} is not on the class path
     */
    static <K> KeyHash<K> standard() {
        checkJar();
        return KeyHashes::standard;
    }

    /**
     * {@return a hash function of the text of a key}
     *
     * @param <K> the type of the keys
     * @param text the function that encodes keys as text
     * @throws IllegalStateException if {@code com.dynatrace.hash4j:hash4j} is not on the class path
     */
    static <K> KeyHash<K> ofText(KeyEncoder<? super K> text) {
        checkJar();
        return key -> KeyHashes.ofText(text.of(key));
    }

    /** Checks now, since {@code KeyHashes} cannot be initialized without the jar, and an error would say so on the first use only. */
    private static void checkJar() {
        RequiredJar.check(
                KeyHash.class, "a key filter", "com.dynatrace.hash4j.hashing.Hashing", "com.dynatrace.hash4j:hash4j");
    }
}
