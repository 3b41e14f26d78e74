package io.stampedeguard.benchmarks.peer;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The latest load of each key, for caches that take their loader when they are created. Another caller of the same key may have
 * passed it: their loads return the same value, but a load may be counted for either of them. <em>Thread-safe.</em>
 */
public final class LatestLoads {
    private final Map<String, Peer.Load> latest = new ConcurrentHashMap<>();

    /** Sets the load of a key; the caller then requests the key from the cache. */
    public void set(String key, Peer.Load load) {
        latest.put(key, load);
    }

    /** Returns the value for a key, {@code null} if the origin has none; the loader of the cache. */
    public @Nullable String load(String key) {
        Peer.Load load = latest.get(key);
        if (load == null) {
            throw new IllegalStateException("nobody has requested key '" + key + "'");
        }
        return load.loadUnchecked(key);
    }
}
