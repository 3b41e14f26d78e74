package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.Policies.exact;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.report.CacheStats;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** What a cache counts if it is told to. */
final class CacheStatsTest {
    private static final CachePolicy POLICY =
            exact(ofSeconds(60), ofSeconds(120)).build();

    @AutoClose
    private final Fleet fleet = new Fleet(
            1,
            POLICY,
            builder -> builder.recordStats()
                    .nearCache(NearCacheOptions.builder().maximumSize(100).build()));

    private final StampedeGuardedCache<String, String> cache = fleet.cache(0);

    private static Map<AnswerSource, Long> only(AnswerSource source, long number) {
        Map<AnswerSource, Long> answers = new EnumMap<>(AnswerSource.class);
        for (AnswerSource each : AnswerSource.values()) {
            answers.put(each, each == source ? number : 0L);
        }
        return answers;
    }

    @ForEach
    void eachFormOfGetCountsMissesAndHitsPerKey(FormOfGet form) throws Throwable {
        assertThat(form.ask(cache, fleet.origin())).isEqualTo("one");

        CacheStats miss = cache.stats();
        assertThat(miss.answers()).isEqualTo(only(AnswerSource.LOADED, form.keys()));
        assertThat(miss.loads()).isEqualTo(form.keys());
        assertThat(miss.loadsSaved()).isZero();

        for (int i = 0; i < 3; i++) {
            assertThat(form.ask(cache, fleet.origin())).isEqualTo("one");
        }

        CacheStats stats = cache.stats();
        stats.answers()
                .forEach((source, number) -> assertThat(fleet.listener().count(source))
                        .as("%s", source)
                        .isEqualTo(number));
        assertThat(stats.requests()).isEqualTo(4L * form.keys());
        assertThat(stats.hits()).isEqualTo(3L * form.keys());
        assertThat(stats.loadsSaved()).isEqualTo(3L * form.keys());
        assertThat(stats.loads()).isEqualTo(form.keys());
        assertThat(stats.failedLoads()).isZero();
        assertThat(miss.requests()).as("of the earlier snapshot").isEqualTo(form.keys());
    }

    @ForEach
    void failedLoadIsALoadAndSavesNone(FormOfGet form) {
        fleet.origin().fail(new IOException("down"));

        assertThat(catchThrowable(() -> form.ask(cache, fleet.origin()))).isNotNull();

        CacheStats stats = cache.stats();
        assertThat(stats.answers())
                .containsEntry(AnswerSource.FAILED, fleet.listener().count(AnswerSource.FAILED));
        assertThat(stats.failedLoads()).isPositive();
        assertThat(stats.loads()).isEqualTo(stats.failedLoads());
        assertThat(stats.loadsSaved()).isZero();
    }

    @Test
    void waitingCallerIsCountedWhileItWaitsAndSavesALoad() throws Exception {
        Callers.Call<String> leader = fleet.loading(0, "k");
        Callers.Call<String> follower = fleet.get(0, "k");
        until(() -> cache.stats().waiting() == 1);
        fleet.origin().open();
        leader.result();
        follower.result();

        CacheStats stats = cache.stats();
        assertThat(stats.waiting()).isZero();
        assertThat(stats.answers()).containsEntry(AnswerSource.COALESCED, 1L).containsEntry(AnswerSource.LOADED, 1L);
        assertThat(stats.loads()).isEqualTo(1);
        assertThat(stats.loadsSaved()).isEqualTo(1);
    }

    @Test
    void queuedChangesAreThoseOfNow() {
        fleet.store().refuse();
        cache.invalidate("a");
        cache.invalidate("b");
        assertThat(cache.stats().queuedChanges()).isEqualTo(2);
    }

    @Test
    void lastNumbersOutliveTheCache() {
        cache.get("k");
        cache.close();
        assertThat(cache.stats().answers()).isEqualTo(only(AnswerSource.LOADED, 1));
    }

    @Test
    void cacheThatCountsNothingSaysHowToCount() {
        try (StampedeGuardedCache<String, String> silent =
                fleet.builder("silent").build()) {
            assertThatThrownBy(silent::stats)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("cache 'silent' counts nothing: call recordStats() on its builder before build()");
        }
    }

    @Test
    void numbersCannotBeChanged() {
        assertThatThrownBy(() -> cache.stats().answers().put(AnswerSource.NEAR, 1L))
                .isInstanceOf(UnsupportedOperationException.class);
    }
}
