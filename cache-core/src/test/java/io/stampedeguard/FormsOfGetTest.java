package io.stampedeguard;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.loader.AdaptiveLoader;
import io.stampedeguard.loader.BulkLoadException;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.loader.RecursiveLoadException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Forms of {@code get}: without a loader, with the loader of the cache, and asynchronous for many keys. */
final class FormsOfGetTest {
    private static final CachePolicy POLICY = CachePolicy.builder()
            .softTtl(ofSeconds(10))
            .hardTtl(ofSeconds(20))
            .waitTimeout(ofSeconds(1))
            .jitter(0)
            .build();

    private final Fleet fleet = new Fleet(1, POLICY);
    private final StampedeGuardedCache<String, String> cache = fleet.cache(0);

    @AfterEach
    void close() {
        fleet.close();
    }

    private StampedeGuardedCache<String, String> with(
            UnaryOperator<StampedeGuardedCacheBuilder<String, String>> options) {
        return options.apply(StampedeGuardedCache.<String, String>builder("forms")
                        .store(fleet.store())
                        .codec(StringCodec.of())
                        .policy(POLICY)
                        .timeSource(fleet.time()))
                .build();
    }

    @Test
    void getIfPresentNeverLoads() {
        assertThat(cache.getIfPresent("k")).isNull();

        cache.put("k", "put");
        assertThat(cache.getIfPresent("k")).isEqualTo("put");
        fleet.advance(ofSeconds(15));
        assertThat(cache.getIfPresent("k")).as("stale").isEqualTo("put");

        assertThat(fleet.store().count(Call.LEASE)).isZero();
        assertThat(fleet.listener().count(AnswerSource.STALE)).isEqualTo(1);
    }

    @Test
    void getIfPresentAnswersFromTheNearCacheWithoutARead() {
        try (Fleet near =
                new Fleet(1, POLICY, NearCacheOptions.builder().maximumSize(10).build())) {
            near.cache(0).put("k", "put");
            assertThat(near.cache(0).getIfPresent("k")).isEqualTo("put");
            int reads = near.store().count(Call.READ);

            assertThat(near.cache(0).getIfPresent("k")).isEqualTo("put");

            assertThat(near.store().count(Call.READ)).isEqualTo(reads);
            assertThat(near.listener().count(AnswerSource.NEAR)).isEqualTo(1);
        }
    }

    @Test
    void getIfPresentReturnsNothingWhereTheStoreDoesNotAnswer() {
        cache.put("k", "put");
        fleet.store().refuse();
        assertThat(cache.getIfPresent("k")).isNull();
        fleet.store().heal().exhaust();
        assertThat(cache.getIfPresent("k")).isNull();
    }

    @Test
    void loaderOfTheCacheServesEveryForm() {
        try (StampedeGuardedCache<String, String> own = with(builder -> builder.loader(key -> key + "'s"))) {
            assertThat(own.get("a")).isEqualTo("a's");
            assertThat(own.getAsync("b").join()).isEqualTo("b's");
            assertThat(own.getAll(List.of("a", "c"))).containsExactly(Map.entry("a", "a's"), Map.entry("c", "c's"));
            assertThat(own.getAllAsync(List.of("d", "e")).join())
                    .containsExactly(Map.entry("d", "d's"), Map.entry("e", "e's"));
        }
    }

    @Test
    void loaderOfTheCacheMayRequestAnotherKeyOfTheSameCall() {
        AtomicReference<StampedeGuardedCache<String, String>> own = new AtomicReference<>();
        Loader<String, String> loader =
                key -> key.equals("parent") ? "parent of " + own.get().get("child") : "the child";
        try (StampedeGuardedCache<String, String> nested = with(builder -> builder.loader(loader))) {
            own.set(nested);

            assertThat(nested.getAll(List.of("parent", "child")))
                    .containsExactly(Map.entry("parent", "parent of the child"), Map.entry("child", "the child"));
            nested.invalidate("parent");
            nested.invalidate("child");
            assertThat(nested.getAll(List.of("child", "parent"))).hasSize(2);
        }
    }

    @Test
    void failureOfTheCachesOwnLoaderIsThatOfOneKey() {
        Loader<String, String> loader = key -> {
            if (key.equals("b")) {
                throw new IOException("down");
            }
            return key + "'s";
        };
        try (StampedeGuardedCache<String, String> own = with(builder -> builder.loader(loader))) {
            BulkLoadException failed =
                    catchThrowableOfType(BulkLoadException.class, () -> own.getAll(List.of("a", "b", "c")));

            assertThat(failed.failures()).containsOnlyKeys("b");
            assertThat(failed.values().keySet()).hasToString("[a, c]");
        }
    }

    @Test
    void getAllAsyncForTheKeyThatIsBeingLoadedFailsForThatKey() {
        assertThatThrownBy(() -> cache.get(
                        "k",
                        key -> cache.getAllAsync(List.of(key, "other"), fleet.bulkOrigin())
                                .join()
                                .get(key)))
                .isInstanceOf(LoadException.class)
                .hasRootCauseInstanceOf(RecursiveLoadException.class);
        assertThat(cache.getIfPresent("other")).isEqualTo("other's");
    }

    @Test
    void getAllAsyncThatTheNearCacheAnswersIsCompleteOnReturn() {
        Queue<Runnable> work = new ArrayDeque<>();
        NearCacheOptions near = NearCacheOptions.builder().maximumSize(10).build();
        try (Fleet pooled =
                new Fleet(1, POLICY, builder -> builder.asyncExecutor(work::add).nearCache(near))) {
            pooled.cache(0).getAll(List.of("a", "b"), pooled.bulkOrigin());

            assertThat(pooled.cache(0).getAllAsync(List.of("a", "b"), pooled.bulkOrigin()))
                    .isCompletedWithValue(Map.of("a", "a's", "b", "b's"));
            assertThat(work).isEmpty();
        }
    }

    @Test
    void getAllAsyncThatHitsDoesNotWaitBehindLoads() {
        Queue<Runnable> work = new ArrayDeque<>();
        try (Fleet pooled = new Fleet(1, POLICY, builder -> builder.asyncExecutor(work::add))) {
            pooled.cache(0).put("a", "put");
            CompletableFuture<Map<String, String>> hit = pooled.cache(0).getAllAsync(List.of("a"), pooled.bulkOrigin());

            work.remove().run();

            assertThat(hit).isCompletedWithValue(Map.of("a", "put"));
            assertThat(work).as("tasks for those who lead").isEmpty();
        }
    }

    @Test
    void cacheWithoutALoaderSaysWhatToUse() {
        try (StampedeGuardedCache<String, String> none = with(builder -> builder)) {
            assertThatThrownBy(() -> none.get("k")).hasMessageContaining("use get(key, loader)");
            assertThatThrownBy(() -> none.getAsync("k")).hasMessageContaining("use getAsync(key, loader)");
            assertThatThrownBy(() -> none.getAll(List.of("k"))).hasMessageContaining("use getAll(keys, loader)");
            assertThatThrownBy(() -> none.getAllAsync(List.of("k")))
                    .hasMessageContaining("use getAllAsync(keys, loader)");
        }
    }

    @Test
    void adaptiveLoaderExtendsEachOfManyEntries() {
        AdaptiveLoader<String, String> unchanged =
                (key, previous) -> previous == null ? LoadedValue.of(key + "'s") : LoadedValue.notModified();
        try (StampedeGuardedCache<String, String> own = with(builder -> builder.loader(unchanged))) {
            List<String> keys = List.of("a", "b");
            own.getAll(keys);
            fleet.advance(ofSeconds(15));
            assertThat(own.getAll(keys)).hasSize(2);
            Fleet.until(() -> fleet.store().count(Call.EXTEND) == 2);
            Fleet.until(() -> own.reloading() == 0);

            fleet.advance(ofSeconds(9));

            assertThat(own.getIfPresent("a")).as("its TTL began anew").isEqualTo("a's");
        }
    }

    @Test
    void oneLoadServesGetAllAsyncAndGet() {
        CompletableFuture<Map<String, String>> many = cache.getAllAsync(List.of("a", "b"), fleet.bulkOrigin());

        assertThat(many.join()).containsExactly(Map.entry("a", "a's"), Map.entry("b", "b's"));
        assertThat(cache.get("a", fleet.origin()::read)).isEqualTo("a's");
        assertThat(fleet.bulkOrigin().calls()).hasSize(1);
        assertThat(cache.getAllAsync(List.of(), fleet.bulkOrigin()).join()).isEmpty();
    }

    @Test
    void getAllAsyncThatGetsNoThreadEndsAfterTheWaitTimeout() {
        Queue<Runnable> queued = new ArrayDeque<>();
        try (StampedeGuardedCache<String, String> busy = with(builder -> builder.asyncExecutor(queued::add))) {
            CompletableFuture<Map<String, String>> many = busy.getAllAsync(List.of("a"), fleet.bulkOrigin());
            assertThat(queued).hasSize(1);

            fleet.advance(ofSeconds(1));
            fleet.advance(ofMillis(50));

            assertThatThrownBy(many::join).hasCauseInstanceOf(OriginBusyException.class);
            queued.remove().run();
            assertThat(fleet.bulkOrigin().calls()).as("nobody waits any more").isEmpty();
        }
    }
}
