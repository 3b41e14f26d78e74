package io.stampedeguard;

import static io.stampedeguard.testkit.Callers.result;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.EventType;
import io.stampedeguard.loader.AsyncLoader;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.RecordingListener;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Stages of asynchronous loaders on a pool that the cache uses as well: no thread of the pool waits for another one. */
final class StageOnPoolTest {
    private enum Use {
        ASYNC_EXECUTOR,
        LOADER_EXECUTOR,
        BOTH
    }

    private enum Pool {
        ONE(() -> Executors.newFixedThreadPool(1)),
        EIGHT(() -> Executors.newFixedThreadPool(8)),
        FORK_JOIN(() -> new ForkJoinPool(2)),
        SCHEDULED(() -> Executors.newScheduledThreadPool(1));

        private final Supplier<ExecutorService> pools;

        Pool(Supplier<ExecutorService> pools) {
            this.pools = pools;
        }
    }

    private final List<ExecutorService> pools = new ArrayList<>();
    private final RecordingListener listener = new RecordingListener();
    private final AtomicInteger loads = new AtomicInteger();

    @AfterEach
    void close() {
        pools.forEach(ExecutorService::shutdownNow);
    }

    private ExecutorService opened(Pool kind) {
        ExecutorService pool = kind.pools.get();
        pools.add(pool);
        return pool;
    }

    private StampedeGuardedCache<String, String> cache(Use use, ExecutorService pool) {
        StampedeGuardedCacheBuilder<String, String> builder =
                textCache("stages", InMemoryStore.create()).listener(listener);
        if (use != Use.LOADER_EXECUTOR) {
            builder.asyncExecutor(pool);
        }
        if (use != Use.ASYNC_EXECUTOR) {
            builder.loaderExecutor(pool);
        }
        return builder.build();
    }

    private AsyncLoader<String, String> on(ExecutorService pool) {
        return key -> CompletableFuture.supplyAsync(() -> "row " + loads.incrementAndGet(), pool);
    }

    @ParameterizedTest
    @CsvSource({
        "ASYNC_EXECUTOR, ONE", "ASYNC_EXECUTOR, EIGHT", "ASYNC_EXECUTOR, FORK_JOIN", "ASYNC_EXECUTOR, SCHEDULED",
        "LOADER_EXECUTOR, ONE", "LOADER_EXECUTOR, EIGHT", "LOADER_EXECUTOR, FORK_JOIN", "LOADER_EXECUTOR, SCHEDULED",
        "BOTH, ONE", "BOTH, EIGHT", "BOTH, FORK_JOIN", "BOTH, SCHEDULED"
    })
    void eachKeyIsLoadedOnce(Use use, Pool kind) throws Exception {
        ExecutorService pool = opened(kind);
        try (StampedeGuardedCache<String, String> cache = cache(use, pool)) {
            List<CompletableFuture<String>> all = IntStream.range(0, 16)
                    .mapToObj(i -> cache.getAsync("k" + i, on(pool)))
                    .toList();

            for (CompletableFuture<String> each : all) {
                assertThat(result(each)).startsWith("row ");
            }
        }
        assertThat(loads).hasValue(16);
        assertThat(listener.count(EventType.LOAD_STORED)).isEqualTo(16);
    }

    @ForEach
    void loaderMayReturnTheFutureOfAnotherKey(Use use) throws Exception {
        ExecutorService pool = opened(Pool.ONE);
        try (StampedeGuardedCache<String, String> cache = cache(use, pool)) {
            List<CompletableFuture<String>> all = IntStream.range(0, 4)
                    .mapToObj(i -> cache.getAsync("outer" + i, key -> cache.getAsync("inner" + i, on(pool))))
                    .toList();

            for (CompletableFuture<String> each : all) {
                assertThat(result(each)).startsWith("row ");
            }
        }
        assertThat(loads).hasValue(4);
    }

    /** The call for many keys reaches the only thread before the stage of the flight that it waits for. */
    @Test
    void bulkCallLeavesThePoolToTheStageItAwaits() throws Exception {
        ExecutorService pool = opened(Pool.ONE);
        CountDownLatch gate = new CountDownLatch(1);
        try (StampedeGuardedCache<String, String> cache = cache(Use.ASYNC_EXECUTOR, pool)) {
            pool.execute(() -> Fleet.await(gate));
            CompletableFuture<String> one = cache.getAsync("a", on(pool));
            CompletableFuture<Map<String, String>> many =
                    cache.getAllAsync(List.of("a"), keys -> Map.of("a", "its own"));
            gate.countDown();

            assertThat(result(many)).containsOnlyKeys("a");
            assertThat(result(one)).isEqualTo(result(many).get("a"));
        }
    }

    @ForEach
    void reloadInTheBackgroundDoesNotWaitOnThePool(Use use) throws Exception {
        ExecutorService pool = opened(Pool.ONE);
        try (StampedeGuardedCache<String, String> cache = cache(use, pool)) {
            cache.put("k", "old");
            cache.expire("k");

            assertThat(result(cache.getAsync("k", on(pool)))).isEqualTo("old");
            Fleet.until(() -> listener.count(EventType.LOAD_STORED) == 1);

            assertThat(result(cache.getAsync("k", on(pool)))).isEqualTo("row 1");
        }
    }

    @Test
    void callThatHasLedCompletesItsFutureOnTheExecutor() throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor(task -> new Thread(task, "of the pool"));
        pools.add(pool);
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<Map<String, String>> rows = new CompletableFuture<>();
        try (StampedeGuardedCache<String, String> cache = cache(Use.ASYNC_EXECUTOR, pool)) {
            CompletableFuture<String> one = cache.getAsync("k", key -> stage)
                    .thenApply(value -> Thread.currentThread().getName());
            CompletableFuture<String> many = cache.getAllAsync(List.of("a", "b"), keys -> rows.get())
                    .thenApply(value -> Thread.currentThread().getName());
            stage.complete("one");
            rows.complete(Map.of("a", "one", "b", "two"));

            assertThat(result(one)).isEqualTo("of the pool");
            assertThat(result(many)).isEqualTo("of the pool");
        }
    }
}
