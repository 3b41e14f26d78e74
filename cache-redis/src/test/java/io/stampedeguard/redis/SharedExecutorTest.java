package io.stampedeguard.redis;

import static io.stampedeguard.testkit.TextCaches.textCache;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.StampedeGuardedCacheBuilder;
import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.EventType;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One pool for callers and loaders: no call waits for a task in the pool that it occupies. */
class SharedExecutorTest {
    private static final int ROWS = 16;

    private final List<ExecutorService> pools = new ArrayList<>();
    private final String prefix = "row " + LeaseToken.next() + ":";
    private final RedisStore store = RedisStore.connect(SharedRedis.uri(), SharedRedis.PATIENT);
    private final RedisStore other = RedisStore.connect(SharedRedis.uri(), SharedRedis.PATIENT);

    @AfterEach
    void close() {
        pools.forEach(ExecutorService::shutdownNow);
        store.close();
        other.close();
    }

    private ExecutorService pool(int threads) {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        pools.add(pool);
        return pool;
    }

    private static StampedeGuardedCacheBuilder<String, String> cache(RedisStore store, String name) {
        return textCache(name, store);
    }

    private static StampedeGuardedCache<String, String> cache(
            RedisStore store, String name, Executor callers, Executor loaders) {
        return cache(store, name).asyncExecutor(callers).loaderExecutor(loaders).build();
    }

    private List<String> keys() {
        return IntStream.range(0, ROWS).mapToObj(i -> prefix + i).toList();
    }

    private List<CompletableFuture<String>> allOf(StampedeGuardedCache<String, String> cache, Executor stages) {
        return keys().stream()
                .map(each -> cache.getAsync(each, key -> CompletableFuture.supplyAsync(() -> "row", stages)))
                .toList();
    }

    private static void assertRows(List<? extends Future<String>> all) throws Exception {
        for (Future<String> each : all) {
            assertThat(each.get(1, TimeUnit.MINUTES)).isEqualTo("row");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8})
    void asynchronousCallersGetTheirRows(int threads) throws Exception {
        ExecutorService pool = pool(threads);
        try (StampedeGuardedCache<String, String> here = cache(store, "one-pool", pool, pool);
                StampedeGuardedCache<String, String> there =
                        cache(other, "one-pool").build()) {
            assertRows(allOf(here, pool));

            assertThat(there.get(prefix + 0, key -> "loaded again")).isEqualTo("row");
        }
    }

    /** All threads of both pools are leaders before the first loader is handed over: each pool waits for the other one. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void executorsOfTwoCachesMayBeCrossed(int threads) throws Exception {
        ExecutorService one = pool(threads);
        ExecutorService two = pool(threads);
        CountDownLatch leaders = new CountDownLatch(2 * threads);
        CacheListener together = new CacheListener() {
            @Override
            public void onEvent(String cache, CacheEvent event) {
                if (event == EventType.LEASE_GRANTED) {
                    leaders.countDown();
                    await(leaders);
                }
            }
        };
        AtomicInteger loads = new AtomicInteger();
        Loader<String, String> loader = key -> {
            loads.incrementAndGet();
            return "row";
        };
        try (StampedeGuardedCache<String, String> here = crossed(store, "crossed-a", two, together);
                StampedeGuardedCache<String, String> there = crossed(other, "crossed-b", one, together)) {
            List<Future<String>> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                String key = prefix + i;
                all.add(one.submit(() -> here.get(key, loader)));
                all.add(two.submit(() -> there.get(key, loader)));
            }

            assertRows(all);
            assertThat(loads).hasValue(2 * threads);
        }
    }

    private static StampedeGuardedCache<String, String> crossed(
            RedisStore store, String name, Executor loaders, CacheListener listener) {
        return cache(store, name).loaderExecutor(loaders).listener(listener).build();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void callersOfGetMayRunOnThePool() throws Exception {
        ExecutorService pool = pool(4);
        try (StampedeGuardedCache<String, String> cache =
                cache(store, "on-pool").loaderExecutor(pool).build()) {
            List<Future<String>> all = new ArrayList<>();
            for (String each : keys()) {
                all.add(pool.submit(() -> cache.get(each, key -> "row")));
            }
            assertRows(all);
        }
    }

    @ForEach
    void callersForManyKeysGetTheirRows(boolean oneByOne) throws Exception {
        ExecutorService pool = pool(1);
        try (StampedeGuardedCache<String, String> cache = cache(store, "many-on-pool")
                .asyncExecutor(pool)
                .loaderExecutor(pool)
                .loader(key -> "row")
                .build()) {
            CompletableFuture<Map<String, String>> all =
                    oneByOne ? cache.getAllAsync(keys()) : cache.getAllAsync(keys(), SharedExecutorTest::rows);

            assertThat(all.get(1, TimeUnit.MINUTES)).hasSize(ROWS).containsValue("row");
        }
    }

    private static Map<String, String> rows(Set<String> keys) {
        return keys.stream().collect(Collectors.toMap(key -> key, key -> "row"));
    }

    @Test
    void reloadInTheBackgroundDoesNotWaitForAFullPool() throws Exception {
        ExecutorService pool = pool(1);
        CountDownLatch gate = new CountDownLatch(1);
        AtomicInteger loads = new AtomicInteger();
        try (StampedeGuardedCache<String, String> cache =
                cache(store, "reload-on-pool").loaderExecutor(pool).build()) {
            cache.put(prefix, "old");
            cache.expire(prefix);
            pool.execute(() -> await(gate));

            Fleet.until(() ->
                    !cache.get(prefix, key -> "new " + loads.incrementAndGet()).equals("old"));
            gate.countDown();

            assertThat(cache.get(prefix, key -> "again")).isEqualTo("new 1");
        }
    }
}
