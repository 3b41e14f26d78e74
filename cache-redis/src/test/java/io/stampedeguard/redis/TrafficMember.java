package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.breaker;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.event.BreakerState;
import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.CacheGauges;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.EventType;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.StoreFailureMode;
import io.stampedeguard.testkit.Fleet;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import redis.clients.jedis.UnifiedJedis;

/**
 * A member of a fleet, with a cache and a client of its own, that knows whether the store answered the caller's own
 * read: if not, the caller may share a load that began before an invalidation of which it could not know.
 */
final class TrafficMember implements AutoCloseable, CacheListener {
    /** As short as by default: a failover may keep a lease whose release it loses, and its key has to be waited for. */
    private static final Duration USUAL_LEASE = Duration.ofSeconds(2);

    /** A server that is only slow, on a busy machine, does not open the circuit breaker. */
    private static final RedisStoreOptions ONLY_SILENCE =
            RedisStoreOptions.builder().commandTimeout(Duration.ofMinutes(1)).build();

    /** Not lost if this process stalls. */
    private static final Duration LONG_LEASE = Duration.ofSeconds(30);

    private final UnifiedJedis client;
    private final RedisStore store;
    private final StampedeGuardedCache<String, String> cache;
    private final ThreadLocal<Boolean> unavailable = ThreadLocal.withInitial(() -> false);
    private final Queue<CacheGauges> gauges = new ConcurrentLinkedQueue<>();

    TrafficMember(UnifiedJedis client) {
        this.client = client;
        this.store = RedisStore.using(client, ONLY_SILENCE);
        this.cache = open(USUAL_LEASE);
    }

    private StampedeGuardedCache<String, String> open(Duration lease) {
        return textCache("traffic", store)
                .policy(CachePolicy.builder()
                        .softTtl(Duration.ofMinutes(5))
                        .hardTtl(Duration.ofMinutes(5))
                        .leaseTtl(lease)
                        .onStoreFailure(StoreFailureMode.THROW) // only what all members see counts as invalidated
                        .waitTimeout(Duration.ofSeconds(30))
                        .build())
                .listener(this)
                .build();
    }

    StampedeGuardedCache<String, String> cache() {
        return cache;
    }

    String get(int row, VersionedRows rows) {
        unavailable.set(false);
        return cache.get(VersionedRows.name(row), rows::read);
    }

    boolean wasUnavailable() {
        return unavailable.get();
    }

    /** Waits until the circuit breaker has closed, after the servers are back, and the changes queued meanwhile were replayed. */
    void awaitStore() {
        Fleet.until(() -> breaker(store).breaker() == BreakerState.CLOSED
                && gauges.stream().allMatch(each -> each.queuedChanges() == 0));
    }

    /** Asserts that each member sees what the other writes, at the cost of one load. */
    static void assertWholeAgain(TrafficMember one, TrafficMember other, VersionedRows rows) {
        one.awaitStore();
        other.awaitStore();
        try (StampedeGuardedCache<String, String> writing = one.open(LONG_LEASE);
                StampedeGuardedCache<String, String> reading = other.open(LONG_LEASE)) {
            for (int row = 0; row < rows.size(); row++) {
                String name = VersionedRows.name(row);
                String expected = name + "=" + rows.write(row);
                AtomicInteger loads = new AtomicInteger();
                Loader<String, String> loader = key -> {
                    loads.incrementAndGet();
                    return rows.read(key);
                };
                writing.invalidate(name);
                assertThat(reading.get(name, loader)).isEqualTo(expected);
                assertThat(writing.get(name, loader)).isEqualTo(expected);
                assertThat(loads).hasValue(1);
            }
        }
    }

    @Override
    public void onOpen(String name, CacheGauges opened) {
        gauges.add(opened);
    }

    @Override
    public void onEvent(String name, CacheEvent event) {
        if (event == EventType.STORE_UNAVAILABLE) {
            unavailable.set(true);
        }
    }

    @Override
    public void close() {
        cache.close();
        client.close();
    }
}
