package io.stampedeguard.spring.boot;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.event.CacheGauges;
import io.stampedeguard.spring.StampedeCacheManager;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * Actuator endpoint {@code stampede}: what the caches of this process do, what is known of a key, and changes by an operator. Keys
 * are the texts under which entries are stored. <em>Thread-safe.</em>
 */
@Endpoint(id = "stampede")
public final class StampedeEndpoint {
    static final String JSON = "application/json";

    private static final int HOT_KEYS = 20;

    private final StampedeCacheManager manager;
    private final KnownCaches known;
    private final OpenCaches caches;

    StampedeEndpoint(KnownCaches known, OpenCaches caches) {
        this.manager = known.manager();
        this.known = known;
        this.caches = caches;
    }

    /** {@return for each cache that this process has used, what it does now} Sends nothing. */
    @ReadOperation
    public Map<String, Object> caches() {
        Map<String, Object> found = new TreeMap<>();
        manager.coreCaches().forEach((name, cache) -> found.put(name, gauges(cache)));
        return Map.of("caches", found);
    }

    /**
     * {@return with a key, everything that is known about it; without, the settings, gauges, and hottest keys of the cache; only that
     * it is not used, if a property or an annotation names a cache that this process has not used; {@code null} if nobody names it}
     * Blocks for one round trip to the store if there is a key.
     *
     * @param cache the name of a cache
     * @param key the text of a key
     */
    @ReadOperation
    public @Nullable Map<String, Object> cache(@Selector String cache, @Nullable String key) {
        StampedeGuardedCache<String, ?> found = manager.coreCaches().get(cache);
        if (found == null) {
            return known.isNamed(cache) ? Map.of("cache", cache, "used", false) : null;
        }
        if (key != null) {
            return Map.of(
                    "cache",
                    cache,
                    "key",
                    key,
                    "report",
                    found.explain(key).toString().lines().toList());
        }
        Map<String, Object> shown = gauges(found);
        shown.put("policy", found.policy().toString());
        shown.put("hotKeys", found.hotKeys(HOT_KEYS));
        return shown;
    }

    /**
     * Removes a key, all entries with a tag, or without either, all entries of the cache, in all processes. Creates the cache in this
     * process, with its meters, if the process has not used it. Blocks for one round trip to the store.
     *
     * @param cache the name of a cache, which this process may not have used
     * @param key the text of a key
     * @param tag a tag
     * @throws InvalidEndpointRequestException if neither a property nor an annotation names such a cache, or if both a key and a tag
     *     are given; nothing is removed or created
     */
    @DeleteOperation(produces = JSON) // as that of StampedeWebEndpoint, which replaces it
    public void evict(@Selector String cache, @Nullable String key, @Nullable String tag) {
        if (key != null && tag != null) {
            String reason = "Both a key and a tag are given: give one of them";
            throw new InvalidEndpointRequestException(reason, reason);
        }
        if (!known.isNamed(cache)) {
            String reason = "No property or annotation names a cache '" + cache + "', and this process has not used it";
            throw new InvalidEndpointRequestException(reason, reason);
        }
        StampedeGuardedCache<String, ?> found = manager.getCache(cache).getNativeCache();
        if (key != null) {
            found.invalidate(key);
        } else if (tag != null) {
            found.invalidateTag(tag);
        } else {
            found.invalidateAll();
        }
    }

    private Map<String, Object> gauges(StampedeGuardedCache<String, ?> cache) {
        Map<String, Object> shown = new LinkedHashMap<>();
        CacheGauges gauges = caches.of(cache.name());
        if (gauges != null) {
            shown.put("store", gauges.breaker());
            shown.put("loadsRunning", gauges.loadsRunning());
            shown.put("waiting", gauges.waiting());
            shown.put("queuedChanges", gauges.queuedChanges());
            shown.put("nearSize", gauges.nearSize());
            shown.put("origin", gauges.originState());
        }
        return shown;
    }
}
