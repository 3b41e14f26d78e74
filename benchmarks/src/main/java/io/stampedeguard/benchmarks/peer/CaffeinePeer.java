package io.stampedeguard.benchmarks.peer;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import org.jspecify.annotations.Nullable;

/**
 * Caffeine in each process: the lower bound of the cost within a process. A {@code LoadingCache} takes the same path
 * with the loader that it was built with.
 */
final class CaffeinePeer implements Peer {
    private static final int MOST_ENTRIES = 10_000;

    private final Cache<String, @Nullable String> cache;

    CaffeinePeer(PeerOptions options) {
        this.cache = Caffeine.newBuilder()
                .maximumSize(MOST_ENTRIES)
                .expireAfterWrite(options.ttlOrUsual())
                .build();
    }

    @Override
    public @Nullable String get(String key, Load load) {
        return cache.get(key, load::loadUnchecked);
    }

    @Override
    public void remove(String key) {
        cache.invalidate(key);
    }

    @Override
    public void close() {
        cache.invalidateAll();
    }
}
