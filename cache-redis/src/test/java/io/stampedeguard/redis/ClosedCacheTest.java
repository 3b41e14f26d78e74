package io.stampedeguard.redis;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.Origin;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.params.SetParams;

/** What a closed cache, and its store, leave on a real server, and in the process. */
final class ClosedCacheTest {
    /** Leases outlive the test: another process loads only if they are released. */
    private static final CachePolicy POLICY = CachePolicy.builder()
            .leaseTtl(Duration.ofMinutes(10))
            .loadTimeout(Duration.ofMinutes(20))
            .waitTimeout(Duration.ofMinutes(2))
            .build();

    private final String name = "closed" + Long.toHexString(LeaseToken.next().hashCode() & 0xffffffffL);
    private final RedisClient client = PlainRedis.client(SharedRedis.uri());
    private final Callers callers = new Callers();
    private final Origin origin = new Origin("one");
    private final OwnThreads threads = new OwnThreads();

    @AfterEach
    void close() {
        origin.open();
        callers.close();
        client.close();
    }

    private StampedeGuardedCache<String, String> cacheOn(RedisStore store) {
        return textCache(name, store)
                .policy(POLICY)
                .nearCache(NearCacheOptions.builder().maximumSize(100).build())
                .build();
    }

    @Test
    void leasesAreGoneAndAnotherProcessLoadsAtOnce() throws Exception {
        try (RedisStore store = RedisStore.connect(SharedRedis.uri(), SharedRedis.PATIENT);
                RedisStore elsewhere = RedisStore.connect(SharedRedis.uri(), SharedRedis.PATIENT);
                StampedeGuardedCache<String, String> other = cacheOn(elsewhere)) {
            StampedeGuardedCache<String, String> cache = cacheOn(store);
            origin.close();
            Callers.Call<String> leader = callers.call(() -> cache.get("k", origin::read));
            CompletableFuture<String> future = cache.getAsync("async", key -> new CompletableFuture<>());
            until(() -> isLeased("k") && isLeased("async") && origin.running() == 1);
            Callers.Call<String> waiting = callers.call(() -> other.get("k", key -> "two"));

            Fleet.closeAtOnce(cache);

            until(() -> !isLeased("async")); // this process may not know yet that it was granted
            assertThat(waiting.result()).isEqualTo("two");
            assertThat(isLeased("k")).isFalse();
            assertThat(other.get("async", key -> "two")).isEqualTo("two");
            assertThat(leader.failure()).isInstanceOf(IllegalStateException.class);
            assertThat(future).failsWithin(Duration.ofMinutes(1));
        }
    }

    private boolean isLeased(String key) {
        return client.exists("{" + name + ":" + key + "}:lease");
    }

    @Test
    void threadsOfCacheAndStoreEnd() {
        threads.run(() -> {
            RedisStore store = RedisStore.connect(SharedRedis.uri(), SharedRedis.PATIENT);
            StampedeGuardedCache<String, String> cache = cacheOn(store);
            client.set(
                    "{" + name + ":held}:lease",
                    "another process",
                    SetParams.setParams().px(600_000));
            FutureTask<String> waiting = new FutureTask<>(() -> cache.get("held", origin::read));
            new Thread(waiting).start(); // its threads are this test's
            until(() -> !threads.alive("stampedeguard-redis-notices").isEmpty()
                    && !threads.alive("stampedeguard-redis-changes").isEmpty());

            cache.close();
            store.close();

            assertThatThrownBy(waiting::get).hasCauseInstanceOf(IllegalStateException.class);
        });

        until(() -> threads.alive("stampedeguard-redis-notices").isEmpty()
                && threads.alive("stampedeguard-redis-changes").isEmpty());
        until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("stampede-" + name)));
    }
}
