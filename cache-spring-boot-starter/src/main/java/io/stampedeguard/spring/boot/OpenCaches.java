package io.stampedeguard.spring.boot;

import io.stampedeguard.event.BreakerState;
import io.stampedeguard.event.CacheGauges;
import io.stampedeguard.event.CacheListener;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The gauges of the caches that are open, for health and endpoint. <em>Thread-safe.</em> */
final class OpenCaches implements CacheListener {
    private final Map<String, CacheGauges> gauges = new ConcurrentHashMap<>();

    @Override
    public void onOpen(String cache, CacheGauges opened) {
        gauges.put(cache, opened);
    }

    @Override
    public void onClose(String cache, CacheGauges closed) {
        gauges.remove(cache, closed);
    }

    @Nullable
    CacheGauges of(String cache) {
        return gauges.get(cache);
    }

    /** Returns whether the store answers, as far as the caches know. */
    boolean isStoreAnswering() {
        return gauges.values().stream().allMatch(cache -> cache.breaker() == BreakerState.CLOSED);
    }

    /** Returns a new map of the numbers of queued changes, of caches that have any. */
    Map<String, Integer> queuedChanges() {
        Map<String, Integer> queued = new TreeMap<>();
        gauges.forEach((name, cache) -> {
            if (cache.queuedChanges() > 0) {
                queued.put(name, cache.queuedChanges());
            }
        });
        return queued;
    }
}
