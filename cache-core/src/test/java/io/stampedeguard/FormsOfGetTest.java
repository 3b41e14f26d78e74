package io.stampedeguard;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.loader.AdaptiveLoader;
import io.stampedeguard.loader.BulkLoadException;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.loader.RecursiveLoadException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Forms of {@code get}: without a loader, with the loader of the cache, and asynchronous for many keys. */
final class FormsOfGetTest {
    private static final CachePolicy POLICY = CachePolicy.builder()
            .softTtl(ofSeconds(10))
            .hardTtl(ofSeconds(20))
            .waitTimeout(ofSeconds(1))
            .jitter(0)
            .build();

    @AutoClose
    private final Fleet fleet = new Fleet(1, POLICY);

    private final StampedeGuardedCache<String, String> cache = fleet.cache(0);

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
        try (Fleet near = Fleet.near(1, POLICY)) {
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
    void loaderOfTheCacheMayRequestAnotherKeyOfTheSameCall() {
        AtomicReference<StampedeGuardedCache<String, String>> own = new AtomicReference<>();
        Loader<String, String> loader =
                key -> key.equals("parent") ? "parent of " + own.get().get("child") : "the child";
        try (StampedeGuardedCache<String, String> nested =
                fleet.builder("forms").loader(loader).build()) {
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
        try (StampedeGuardedCache<String, String> own =
                fleet.builder("forms").loader(loader).build()) {
            BulkLoadException failed =
                    catchThrowableOfType(BulkLoadException.class, () -> own.getAll(List.of("a", "b", "c")));

            assertThat(failed.failures()).containsOnlyKeys("b");
            assertThat(failed.values().keySet()).hasToString("[a, c]");
        }
    }

    @Test
    void recursiveGetAllAsyncFailsForTheLoadingKeyOnly() {
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
    void adaptiveLoaderExtendsEachOfManyEntries() {
        AdaptiveLoader<String, String> unchanged =
                (key, previous) -> previous == null ? LoadedValue.of(key + "'s") : LoadedValue.notModified();
        try (StampedeGuardedCache<String, String> own =
                fleet.builder("forms").loader(unchanged).build()) {
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
}
