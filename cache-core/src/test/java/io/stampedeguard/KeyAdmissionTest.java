package io.stampedeguard;

import static java.time.Duration.ofSeconds;
import static java.util.concurrent.CompletableFuture.completedFuture;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.EventType;
import io.stampedeguard.filter.KeyFilter;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.report.PrefetchResult;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ScriptedStore;
import io.stampedeguard.testkit.SetFilter;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys that cannot exist are absent at once, without a call of the store or the origin. */
final class KeyAdmissionTest {
    private static final CachePolicy POLICY =
            CachePolicy.builder().softTtl(ofSeconds(10)).jitter(0).build();

    private final SetFilter<String> filter = new SetFilter<>(Set.of("known", "other"));

    @AutoClose
    private final Fleet fleet = new Fleet(
            2, POLICY, cache -> cache.keyValidator(KeyAdmissionTest::isValid).keyFilter(filter));

    private final StampedeGuardedCache<String, String> cache = fleet.cache(0);

    private static boolean isValid(String key) {
        if (key.equals("puzzling")) {
            throw new IllegalStateException("puzzled");
        }
        return !key.startsWith("-");
    }

    private String get(String key) {
        return cache.get(key, fleet.origin()::read);
    }

    private void assertNobodyWasAsked() {
        assertThat(fleet.origin().reads()).isZero();
        assertThat(fleet.store().count(ScriptedStore.Call.READ)).isZero();
        assertThat(fleet.store().count(ScriptedStore.Call.LEASE)).isZero();
    }

    @Test
    void keyThatCannotExistIsAbsentInEachForm() {
        for (String key : List.of("-1", "nonexistent")) {
            assertThat(get(key)).isNull();
            assertThat(cache.getAsync(key, same -> completedFuture("one")).join())
                    .isNull();
            assertThat(cache.getAll(List.of(key), fleet.bulkOrigin())).isEmpty();
            assertThat(cache.getAllAsync(List.of(key), fleet.bulkOrigin()).join())
                    .isEmpty();
        }

        assertNobodyWasAsked();
        assertThat(filter.asked()).as("that of the valid key").isEqualTo(4);
        assertThat(fleet.listener().count(AnswerSource.INVALID)).isEqualTo(4);
        assertThat(fleet.listener().count(AnswerSource.FILTERED)).isEqualTo(4);
    }

    @Test
    void keyThatTheFilterKnowsIsLoaded() {
        assertThat(get("known")).isEqualTo("one");
        assertThat(cache.getAsync("other", key -> completedFuture("one")).join())
                .isEqualTo("one");
    }

    @Test
    void batchLeavesOutWhatCannotExist() {
        assertThat(cache.getAll(List.of("-1", "known", "nonexistent", "other"), fleet.bulkOrigin()))
                .containsOnlyKeys("known", "other");

        assertThat(fleet.bulkOrigin().calls()).containsExactly(List.of("known", "other"));
        assertThat(fleet.listener().count(AnswerSource.INVALID)).isOne();
        assertThat(fleet.listener().count(AnswerSource.FILTERED)).isOne();
    }

    @Test
    void keyThatIsPutIsKnown() {
        cache.put("new", "value");

        assertThat(get("new")).isEqualTo("value");
        assertThat(fleet.cache(1).get("new", fleet.origin()::read)).isEqualTo("value");
    }

    @Test
    void keyThatIsNotValidIsNotPutNorAnnounced() {
        assertThatThrownBy(() -> cache.put("-1", "value"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("fleet:-1")
                .hasMessageContaining("keyValidator");
        assertThatThrownBy(() -> cache.keyCreated("-1")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void keyThatIsAnnouncedIsLoadedThoughItWasFoundAbsentBefore() {
        filter.add("row");
        fleet.origin().write(null);
        assertThat(get("row")).isNull(); // and the result is cached
        fleet.origin().write("one");
        assertThat(get("row")).isNull();

        fleet.cache(1).keyCreated("row");

        assertThat(get("row")).isEqualTo("one");
    }

    @Test
    void keyThatIsAnnouncedIsKnown() {
        assertThat(get("row")).isNull();
        fleet.cache(1).keyCreated("row");
        assertThat(get("row")).isEqualTo("one");
    }

    @Test
    void absenceThatIsLoadedBeforeAnAnnouncementIsNotCached() throws Exception {
        filter.add("row");
        fleet.origin().write(null);
        Callers.Call<String> early = fleet.loading(0, "row");
        fleet.cache(1).keyCreated("row");
        fleet.origin().open();
        assertThat(early.result()).isNull();
        fleet.origin().write("one");

        assertThat(fleet.cache(1).get("row", fleet.origin()::read)).isEqualTo("one");
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = "one")
    void loadThatFindsAValueTellsTheFilterAndAnotherDoesNot(String row) {
        fleet.origin().write(row);
        filter.failsToAnswer(true);
        assertThat(get("unannounced")).isEqualTo(row);

        filter.failsToAnswer(false);
        assertThat(filter.mightContain("unannounced")).isEqualTo(row != null);
    }

    private void assertFilterSaid(int maybe, int absent, int failed) {
        assertThat(fleet.listener().count(EventType.FILTER_MAYBE)).as("maybe").isEqualTo(maybe);
        assertThat(fleet.listener().count(EventType.FILTER_ABSENT)).as("absent").isEqualTo(absent);
        assertThat(fleet.listener().count(EventType.FILTER_FAILED)).as("failed").isEqualTo(failed);
    }

    @Test
    void eachAnswerOfTheFilterIsToldOnce() {
        get("known");
        get("nonexistent");
        get("-1"); // the filter is not queried for that key
        assertFilterSaid(1, 1, 0);

        filter.failsToAnswer(true);
        get("other");
        assertFilterSaid(1, 1, 1);
    }

    @Test
    void ofABatchTheAnswerForEachKeyIsTold() {
        cache.getAll(List.of("-1", "known", "nonexistent", "another", "other"), fleet.bulkOrigin());
        assertFilterSaid(2, 2, 0);

        filter.failsToAnswer(true);
        cache.getAll(List.of("-1", "known", "nonexistent", "other"), fleet.bulkOrigin());
        assertFilterSaid(2, 2, 3);
    }

    @Test
    void explainReportsNoAnswerOfTheFilter() {
        cache.explain("known");
        assertFilterSaid(0, 0, 0);
    }

    @Test
    void keyOfWhichTheCheckThrowsCanBeAnnouncedAndPut() {
        cache.keyCreated("puzzling");
        assertThat(get("puzzling")).isEqualTo("one");

        cache.put("puzzling", "two");
        assertThat(get("puzzling")).isEqualTo("two");
    }

    @Test
    void keyTheFilterCannotAddIsRefusedAndNotPut() {
        filter.failsToAdd(true);

        assertThatThrownBy(() -> cache.put("new", "value"))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("fleet:new");
        assertThatThrownBy(() -> cache.keyCreated("new")).isInstanceOf(StoreException.class);
        assertThat(fleet.store().count(ScriptedStore.Call.PUT)).isZero();
    }

    @Test
    void hitOfTheNearCacheDoesNotAskTheFilter() {
        KeyFilter<String> known = filter;
        try (Fleet near = new Fleet(
                1,
                POLICY,
                with -> with.keyFilter(known)
                        .nearCache(NearCacheOptions.builder().maximumSize(10).build()))) {
            near.cache(0).get("known", near.origin()::read);
            int before = filter.asked();

            assertThat(near.cache(0).get("known", near.origin()::read)).isEqualTo("one");
            assertThat(filter.asked()).isEqualTo(before);
            assertThat(near.listener().count(EventType.FILTER_MAYBE)).isOne();
        }
    }

    @Test
    void prefetchCountsThemAsAbsent() {
        PrefetchResult result = cache.prefetch(List.of("known", "nonexistent", "-1"), keys -> Map.of("known", "one"));

        assertThat(result.present()).isOne();
        assertThat(result.absent()).isEqualTo(2);
    }
}
