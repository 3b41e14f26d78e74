package io.stampedeguard.spring.boot;

import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.store.CacheStore;
import java.util.Map;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/**
 * Whether the caches reach their store: {@code UP}, or {@code DEGRADED} while the circuit breaker in front of it is not closed. Never
 * {@code DOWN}: the application answers without the store, and must not be restarted, or taken out of service, because of it. Sends
 * nothing.
 */
final class StampedeHealthIndicator implements HealthIndicator {
    static final Status DEGRADED =
            new Status("DEGRADED", "The store does not answer; the caches answer from memory, and load");

    private final CacheStore store;
    private final OpenCaches caches;

    StampedeHealthIndicator(CacheStore store, OpenCaches caches) {
        this.store = store;
        this.caches = caches;
    }

    @Override
    public Health health() {
        boolean isAnswering =
                caches.isStoreAnswering() && (!(store instanceof RedisStore redis) || redis.isAnswering());
        Health.Builder health = Health.status(isAnswering ? Status.UP : DEGRADED);
        health.withDetail(
                "store",
                store instanceof RedisStore
                        ? store.toString()
                        : store.getClass().getSimpleName());
        Map<String, Integer> queued = caches.queuedChanges();
        if (!queued.isEmpty()) {
            health.withDetail("queuedChanges", queued);
        }
        return health.build();
    }
}
