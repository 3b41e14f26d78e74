package io.stampedeguard;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.codec.KeyText;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/** Names the keys of one cache for the store: the cache's name, a colon, the key's text. <em>Thread-safe.</em> */
final class KeyNames<K> {
    private final String cache;
    private final KeyText<? super K> keyText;

    KeyNames(String cache, KeyText<? super K> keyText) {
        this.cache = cache;
        this.keyText = keyText;
    }

    String cache() {
        return cache;
    }

    /** Tells the store's name of a key; fails where the key is null or has no text. */
    String of(K key) {
        requireNonNull(key, () -> "null key for cache '" + cache + "'");
        String text;
        try {
            text = keyText.of(key);
        } catch (RuntimeException e) {
            throw new IllegalArgumentException("cache '" + cache + "': " + e.getMessage(), e);
        }
        if (text == null) {
            throw new IllegalArgumentException("keyText of cache '" + cache + "' returned null");
        }
        return cache + ':' + text;
    }

    /** Tells the keys by their names, each once, in their order. As {@link #of} else. */
    Map<String, K> ofAll(Collection<? extends K> keys) {
        Map<String, K> named = new LinkedHashMap<>(Batch.capacityFor(keys.size()));
        for (K key : keys) {
            named.putIfAbsent(of(key), key);
        }
        return named;
    }
}
