package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.ReadOutcome;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.policy.CachePolicy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import redis.clients.jedis.UnifiedJedis;

/**
 * A member of a fleet, with a cache and a client of its own, that knows whether the store answered the caller's own
 * read: if not, the caller may share a load that began before an invalidation of which it could not know.
 */
final class TrafficMember implements AutoCloseable, CacheListener {
    private final UnifiedJedis client;
    private final StampedeGuardedCache<String, String> cache;
    private final ThreadLocal<Boolean> unavailable = ThreadLocal.withInitial(() -> false);

    TrafficMember(UnifiedJedis client) {
        this.client = client;
        this.cache = StampedeGuardedCache.<String, String>builder("traffic")
                .store(RedisStore.using(client))
                .codec(StringCodec.of())
                .policy(CachePolicy.builder()
                        .softTtl(Duration.ofMinutes(5))
                        .hardTtl(Duration.ofMinutes(5))
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

    /** Asserts that each member sees what the other writes, at the cost of one load. */
    static void assertWholeAgain(TrafficMember one, TrafficMember other, VersionedRows rows) {
        for (int row = 0; row < rows.size(); row++) {
            String name = VersionedRows.name(row);
            String expected = name + "=" + rows.write(row);
            AtomicInteger loads = new AtomicInteger();
            Loader<String, String> loader = key -> {
                loads.incrementAndGet();
                return rows.read(key);
            };
            one.cache.invalidate(name);
            assertThat(other.cache.get(name, loader)).isEqualTo(expected);
            assertThat(one.cache.get(name, loader)).isEqualTo(expected);
            assertThat(loads).hasValue(1);
        }
    }

    @Override
    public void onRead(String name, ReadOutcome outcome) {
        if (outcome == ReadOutcome.UNAVAILABLE) {
            unavailable.set(true);
        }
    }

    @Override
    public void close() {
        cache.close();
        client.close();
    }
}
