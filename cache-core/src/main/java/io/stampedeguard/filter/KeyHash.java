package io.stampedeguard.filter;

import io.stampedeguard.codec.KeyText;

/**
 * Hashes a key to 64 evenly distributed bits, the same in all processes and versions, since filters are kept for long.
 *
 * <p>Implementations are <em>thread-safe</em> and pure.
 *
 * @param <K> the type of the keys
 */
@FunctionalInterface
public interface KeyHash<K> {
    /**
     * Returns the hash of a key.
     *
     * @param key the key
     * @return 64 bits, each as good as random
     * @throws IllegalArgumentException if the key has none
     */
    long of(K key);

    /**
     * Hashes whole numbers by their value, a {@link java.util.UUID} by its bits, and all else by its {@link KeyText#standard()}.
     * Allocates nothing for {@code Long}, {@code Integer}, {@code UUID} and {@code String}.
     *
     * @param <K> the type of the keys
     * @return the hash
     */
    static <K> KeyHash<K> standard() {
        return KeyHashes::standard;
    }

    /**
     * Hashes the text of a key.
     *
     * @param <K> the type of the keys
     * @param text the function
     * @return the hash
     */
    static <K> KeyHash<K> ofText(KeyText<? super K> text) {
        return key -> KeyHashes.ofText(text.of(key));
    }
}
