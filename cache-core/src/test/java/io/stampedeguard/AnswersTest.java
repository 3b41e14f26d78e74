package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.Policies.exact;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.loader.BulkLoadException;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.loader.RecentLoadFailureException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The listener is notified once of the source of each answer. */
final class AnswersTest {
    private static final CachePolicy POLICY =
            exact(ofSeconds(10), ofSeconds(100)).build();

    @AutoClose
    private final Fleet fleet = new Fleet(2, POLICY);

    private final StampedeGuardedCache<String, String> cache = fleet.cache(0);

    private Map<AnswerSource, Long> answers() {
        Map<AnswerSource, Long> answers = new TreeMap<>();
        Arrays.stream(AnswerSource.values())
                .filter(source -> fleet.listener().count(source) > 0)
                .forEach(source -> answers.put(source, fleet.listener().count(source)));
        return answers;
    }

    @ForEach
    void whoLoadsIsToldApartFromWhoFindsIt(FormOfGet form) throws Exception {
        form.askOf(fleet, 0).result();
        form.askOf(fleet, 0).result();

        long each = form.keys();
        until(() -> fleet.listener().events(AnswerSource.class).size() >= 2 * each); // some after the future completed
        assertThat(answers()).isEqualTo(Map.of(AnswerSource.LOADED, each, AnswerSource.STORE, each));
    }

    @Test
    void waitersInAnyProcessAreToldApartFromTheLeader() throws Exception {
        fleet.origin().close();
        List<Callers.Call<String>> calls = List.of(fleet.get(0, "k"), fleet.get(0, "k"), fleet.get(1, "k"));
        until(() -> fleet.origin().running() == 1);
        fleet.origin().open();
        assertThat(Callers.results(calls)).containsOnly("one");

        assertThat(fleet.listener().count(AnswerSource.LOADED)).isOne();
        assertThat(fleet.listener().count(AnswerSource.COALESCED)
                        + fleet.listener().count(AnswerSource.STORE))
                .isEqualTo(2);
    }

    @Test
    void staleAndAbsentAnswersAreToldAsSuch() {
        cache.get("k", fleet.origin()::read);
        fleet.advance(ofSeconds(11));
        cache.get("k", fleet.origin()::read);
        until(() -> cache.reloading() == 0);
        fleet.origin().write(null);
        cache.get("none", fleet.origin()::read);
        cache.get("none", fleet.origin()::read);

        assertThat(answers())
                .isEqualTo(Map.of(AnswerSource.LOADED, 2L, AnswerSource.STALE, 1L, AnswerSource.NEGATIVE, 1L));
    }

    @Test
    void exceptionIsAnAnswerToo() {
        fleet.origin().fail(new IllegalStateException("origin is down"));

        assertThatThrownBy(() -> cache.get("k", fleet.origin()::read)).isInstanceOf(LoadException.class);
        assertThatThrownBy(() -> cache.get("k", fleet.origin()::read)).isInstanceOf(RecentLoadFailureException.class);
        assertThat(answers()).isEqualTo(Map.of(AnswerSource.FAILED, 2L));
    }

    @ForEach
    void errorOfALoaderIsAnAnswerForEachKey(FormOfGet form) throws Exception {
        fleet.origin().fail(new NoSuchMethodError("gone"));

        assertThat(form.askOf(fleet, 0).failure()).isInstanceOf(NoSuchMethodError.class);

        until(() -> fleet.listener().count(AnswerSource.FAILED) >= form.keys()); // notified after the future has failed
        assertThat(answers()).isEqualTo(Map.of(AnswerSource.FAILED, (long) form.keys()));
    }

    @Test
    void errorAfterAHitIsAnAnswerForTheOtherKeysOnly() {
        cache.get("a", fleet.bulkOrigin()::load);

        assertThatThrownBy(() -> cache.getAll(List.of("a", "b", "c"), keys -> {
                    throw new NoSuchMethodError("gone");
                }))
                .isInstanceOf(NoSuchMethodError.class);

        assertThat(answers())
                .isEqualTo(Map.of(AnswerSource.LOADED, 1L, AnswerSource.STORE, 1L, AnswerSource.FAILED, 2L));
    }

    @Test
    void asynchronousCallThatIsRejectedIsAnAnswerForEachKey() {
        Executor full = task -> {
            throw new RejectedExecutionException("full");
        };
        try (Fleet busy = new Fleet(1, POLICY, builder -> builder.asyncExecutor(full))) {
            assertThatThrownBy(() -> busy.cache(0)
                            .getAllAsync(List.of("a", "b"), busy.bulkOrigin())
                            .join())
                    .hasCauseInstanceOf(OriginBusyException.class);

            assertThat(busy.listener().count(AnswerSource.FAILED)).isEqualTo(2);
        }
    }

    @Test
    void batchThatFailsTellsOfEachKeyThatHasNoAnswer() {
        cache.get("a", fleet.bulkOrigin()::load);
        fleet.bulkOrigin().fail(new IllegalStateException("origin is down"));

        assertThatThrownBy(() -> cache.getAll(List.of("a", "b", "c"), fleet.bulkOrigin()))
                .isInstanceOf(BulkLoadException.class);
        assertThat(answers())
                .isEqualTo(Map.of(AnswerSource.LOADED, 1L, AnswerSource.STORE, 1L, AnswerSource.FAILED, 2L));
    }
}
