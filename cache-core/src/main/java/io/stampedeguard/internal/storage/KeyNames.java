package io.stampedeguard.internal.storage;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.codec.KeyText;

/** The names of a cache's keys in the store: the cache's name, a colon, the key's text. <em>Thread-safe.</em> */
public final class KeyNames<K> {
    private final String cache;
    private final KeyText<? super K> keyEncoder;

    public KeyNames(String cache, KeyText<? super K> keyEncoder) {
        this.cache = cache;
        this.keyEncoder = keyEncoder;
    }

    public String cache() {
        return cache;
    }

    /** Returns the store's key; throws if the key is null or cannot be encoded. */
    public String of(K key) {
        requireNonNull(key, () -> "null key for cache '" + cache + "'");
        String text;
        try {
            text = keyEncoder.of(key);
        } catch (RuntimeException e) {
            throw new IllegalArgumentException("cache '" + cache + "': " + e.getMessage(), e);
        }
        if (text == null) {
            throw new IllegalArgumentException("keyEncoder of cache '" + cache + "' returned null");
        }
        return cache + ':' + text;
    }
}
