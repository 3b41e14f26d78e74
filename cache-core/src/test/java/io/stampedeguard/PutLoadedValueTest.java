package io.stampedeguard;

import static io.stampedeguard.testkit.KeyCalls.on;
import static io.stampedeguard.testkit.Policies.withoutJitter;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.ScriptedStore.Call;
import io.stampedeguard.testkit.SetFilter;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A put can set TTLs, store that the origin has none, and keep a value out of the cache. */
final class PutLoadedValueTest {
    private static final CachePolicy POLICY = withoutJitter(ofSeconds(10), ofSeconds(30))
            .negativeTtl(ofSeconds(3))
            .build();

    private final SetFilter<String> filter = new SetFilter<>(Set.of("k", "here", "there"));

    @AutoClose
    private final Fleet fleet = new Fleet(
            2,
            POLICY,
            builder -> builder.keyFilter(filter)
                    .nearCache(NearCacheOptions.builder().maximumSize(100).build()));

    private final StampedeGuardedCache<String, String> cache = fleet.cache(0);

    @ForEach
    void ownTtlsAreHeededByEachFormOfGet(FormOfGet form) throws Throwable {
        cache.put("k", LoadedValue.of("put").softTtl(ofSeconds(1)).hardTtl(ofSeconds(2)));

        fleet.advance(ofMillis(999));
        assertThat(form.ask(fleet.cache(1), fleet.origin())).isEqualTo("put");
        assertThat(fleet.origin().reads()).isZero();
        fleet.advance(ofMillis(1_001));
        assertThat(form.ask(fleet.cache(1), fleet.origin())).isEqualTo("one");
    }

    @ForEach
    void absenceIsKnownToEachFormOfGetForItsTtl(FormOfGet form) throws Throwable {
        cache.put("k", "put");
        assertThat(form.ask(fleet.cache(1), fleet.origin())).isEqualTo("put");

        cache.put("k", LoadedValue.absent());

        assertThat(form.ask(cache, fleet.origin())).isNull();
        assertThat(form.ask(fleet.cache(1), fleet.origin())).isNull();
        fleet.advance(ofSeconds(3));
        assertThat(form.ask(cache, fleet.origin())).isEqualTo("one");
    }

    @Test
    void onlyAValueIsAddedToTheKeyFilter() {
        cache.put("absent", LoadedValue.absent());
        assertThat(filter.mightContain("absent")).isFalse();

        cache.put("short", LoadedValue.of("v").doNotCache());
        cache.put("new", LoadedValue.of("v"));

        assertThat(filter.mightContain("short")).isTrue();
        assertThat(filter.mightContain("new")).isTrue();
    }

    static Stream<LoadedValue<String>> notToBeCached() {
        return Stream.of(
                LoadedValue.of("v").doNotCache(),
                LoadedValue.of("v").softTtl(Duration.ZERO),
                LoadedValue.of("v").hardTtl(ofMillis(-1)),
                LoadedValue.<String>absent().doNotCache());
    }

    @ParameterizedTest
    @MethodSource("notToBeCached")
    void whatIsNotToBeCachedRemovesTheKey(LoadedValue<String> loaded) {
        cache.put("k", "old");
        assertThat(fleet.cache(1).getIfPresent("k")).isEqualTo("old");

        cache.put("k", loaded);

        assertThat(on(fleet.store()).read("fleet:k")).isNull();
        for (int process = 0; process < 2; process++) {
            assertThat(fleet.cache(process).getIfPresent("k")).isNull();
        }
    }

    @Test
    void uncachedAbsenceRemovesTheKeyUnlessItHasATtl() {
        CachePolicy uncached = POLICY.toBuilder().negativeTtl(Duration.ZERO).build();
        try (Fleet other = new Fleet(1, uncached)) {
            other.cache(0).put("k", "old");
            other.cache(0).put("k", LoadedValue.absent());
            assertThat(on(other.store()).read("fleet:k")).isNull();

            other.cache(0).put("k", LoadedValue.<String>absent().softTtl(ofSeconds(1)));
            assertThat(other.cache(0).get("k", other.origin()::read)).isNull();
        }
    }

    /** The store answers again only after the queued entry was served; its replay removes the key. */
    @ForEach
    void queuedAbsenceAnswersUntilTheStoreDoes(FormOfGet form) throws Throwable {
        cache.put("k", "old");
        fleet.store().refuse();

        cache.put("k", LoadedValue.absent());

        assertThat(form.ask(cache, fleet.origin())).isNull();
        assertThat(fleet.listener().count(AnswerSource.NEAR_DEGRADED)).isPositive();
        assertThat(fleet.origin().reads()).isZero();
        assertThat(cache.faults(FaultSource.CODEC)).as("absence is not decoded").isZero();
        fleet.store().heal();
        assertThat(form.ask(cache, fleet.origin())).isEqualTo("one");
        assertThat(fleet.cache(1).getAll(List.of("k"))).containsEntry("k", "one");
    }

    @Test
    void removalIsQueuedWhileTheStoreDoesNotAnswer() {
        cache.put("k", "old");
        fleet.store().refuse(Call.INVALIDATE);

        cache.put("k", LoadedValue.of("v").doNotCache());

        assertThat(fleet.gauges(0).queuedChanges()).isEqualTo(1);
        fleet.store().heal();
        assertThat(cache.getIfPresent("k")).isNull();
        assertThat(fleet.gauges(0).queuedChanges()).isZero();
    }
}
