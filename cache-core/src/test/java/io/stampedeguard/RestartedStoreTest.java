package io.stampedeguard;

import static io.stampedeguard.FormOfGet.KEY;
import static io.stampedeguard.testkit.Fleet.until;
import static java.time.Duration.ZERO;
import static java.time.Duration.ofNanos;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** After a restart of the store without its data, copies answer within the maximum staleness, while each key is loaded once. */
final class RestartedStoreTest {
    private static final int PROCESSES = 3;
    private static final Duration MAX_STALENESS = ofSeconds(2);
    private static final Duration OUTAGE = ofSeconds(20);
    private static final NearCacheOptions NEAR = NearCacheOptions.builder()
            .maximumSize(1_000)
            .maxStaleness(MAX_STALENESS)
            .build();
    private static final CachePolicy POLICY = CachePolicy.builder()
            .softTtl(ofSeconds(60))
            .hardTtl(ofSeconds(600))
            .loadTimeout(ofSeconds(60))
            .waitTimeout(ofSeconds(60))
            .jitter(0)
            .earlyRefresh(0)
            .maxConcurrentLoads(4)
            .build();

    private Fleet fleet = new Fleet(PROCESSES, POLICY, NEAR);

    @AfterEach
    void close() {
        fleet.origin().open();
        fleet.close();
    }

    private void with(CachePolicy policy) {
        fleet.close();
        fleet = new Fleet(PROCESSES, policy, NEAR);
    }

    private String get(int process) {
        return get(process, KEY);
    }

    private String get(int process, String key) {
        return fleet.cache(process).get(key, fleet.origin()::read);
    }

    /** Returns whether a process waits for the value of the key. */
    private boolean waits(int process) {
        return fleet.cache(process).explain(KEY).waiters() == 1;
    }

    /** The store is killed, and each process has a read without an answer. */
    private void kill() {
        fleet.store().kill();
        for (int process = 0; process < PROCESSES; process++) {
            fleet.cache(process).getIfPresent("unanswered");
        }
    }

    /** The store restarts after an outage; the processes are not told of its changes yet. */
    private void restart() {
        kill();
        fleet.advance(OUTAGE);
        fleet.store().restart();
    }

    @ParameterizedTest
    @EnumSource
    void aCopyAnswersWhileOneLoadRunsInTheBackground(FormOfGet form) throws Throwable {
        form.ask(fleet.cache(0), fleet.origin());
        fleet.origin().write("two");
        restart();
        fleet.origin().close();

        for (int i = 0; i < 3; i++) {
            assertThat(form.ask(fleet.cache(0), fleet.origin())).isEqualTo("one");
        }

        until(() -> fleet.origin().running() == 1);
        fleet.origin().open();
        until(() -> get(0).equals("two"));
        assertThat(get(1)).isEqualTo("two");
        assertThat(fleet.origin().reads()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void aCopyAnswersAlsoOnceItsProcessIsToldOfChangesAgain(FormOfGet form) throws Throwable {
        form.ask(fleet.cache(0), fleet.origin());
        restart();
        fleet.store().mendChanges();
        fleet.origin().close();

        assertThat(form.ask(fleet.cache(0), fleet.origin())).isEqualTo("one");

        until(() -> fleet.origin().running() == 1);
    }

    @Test
    void theAnswerCountsAsDegraded() {
        get(0);
        restart();
        get(0);

        assertThat(fleet.listener().events(AnswerSource.class)).endsWith(AnswerSource.NEAR_DEGRADED);
    }

    @Test
    void eachKeyIsLoadedOnceInTheFleetAndWithinTheBound() {
        List<String> keys = IntStream.range(0, 50).mapToObj(i -> "k" + i).toList();
        for (int process = 0; process < PROCESSES; process++) {
            for (String key : keys) {
                get(process, key);
            }
        }
        fleet.origin().write("two");
        restart();
        fleet.origin().close();

        for (int process = 0; process < PROCESSES; process++) {
            for (String key : keys) {
                assertThat(get(process, key)).isEqualTo("one");
            }
        }
        int halfOfThePermitsOfEach = PROCESSES * 2;
        until(() -> fleet.origin().running() == halfOfThePermitsOfEach);
        fleet.origin().open();

        for (int process = 0; process < PROCESSES; process++) {
            for (String key : keys) {
                int reader = process;
                until(() -> get(reader, key).equals("two"));
            }
        }
        assertThat(fleet.origin().reads()).isEqualTo(2 * keys.size());
        assertThat(fleet.origin().mostAtOnce()).isEqualTo(halfOfThePermitsOfEach);
    }

    @Test
    void keysOfOneCallAreLoadedTogether() throws Exception {
        fleet.getAll(0, "a", "b").result();
        restart();
        fleet.bulkOrigin().close();

        assertThat(fleet.getAll(0, "a", "b").result()).containsOnlyKeys("a", "b");

        until(() -> fleet.bulkOrigin().running() == 1);
        fleet.bulkOrigin().open();
        assertThat(fleet.bulkOrigin().calls()).containsExactly(List.of("a", "b"), List.of("a", "b"));
    }

    @Test
    void onlyAKeyWithoutACopyIsWaitedFor() throws Exception {
        get(0);
        restart();
        fleet.origin().close();

        Callers.Call<String> waiting = fleet.get(1, KEY);
        until(() -> fleet.origin().running() == 1);
        assertThat(get(0)).isEqualTo("one");
        fleet.origin().open();

        assertThat(waiting.result()).isEqualTo("one");
        assertThat(fleet.origin().reads()).isEqualTo(2);
    }

    @Test
    void aCopyAnswersForTheMaximumStalenessSinceItWasCurrentWithoutTheOutage() throws Exception {
        get(0);
        fleet.advance(ofSeconds(1).minusNanos(1)); // since the last proof
        restart();
        fleet.origin().close();
        assertThat(get(0)).isEqualTo("one");

        fleet.advance(ofSeconds(1).plusNanos(1));
        assertThat(get(0)).isEqualTo("one");
        fleet.advance(ofNanos(1));
        Callers.Call<String> waiting = fleet.get(0, KEY);
        until(() -> waits(0));
        fleet.origin().write("two");
        fleet.origin().open();

        assertThat(waiting.result()).isIn("one", "two");
        assertThat(fleet.origin().reads()).isEqualTo(2);
    }

    @Test
    void itsTimeBeginsWhenTheProcessIsToldOfChangesThoughItReadsNothing() {
        get(0);
        fleet.origin().write("two");
        restart();
        fleet.store().mendChanges();
        fleet.store().loseChanges();
        fleet.cache(1).invalidate(KEY);

        fleet.advance(MAX_STALENESS.plusNanos(1));

        assertThat(get(0)).isEqualTo("two");
    }

    @Test
    void aChangeThatIsMissedAfterTheRestartIsNotAnsweredAfterTheMaximumStaleness() {
        get(0);
        fleet.origin().write("two");
        restart();
        get(0, "another");
        fleet.cache(1).invalidate(KEY);

        fleet.advance(MAX_STALENESS.plusNanos(1));

        assertThat(get(0)).isEqualTo("two");
    }

    @Test
    void aChangeThatIsMissedBeforeTheOutageIsNotAnsweredAfterTheMaximumStaleness() {
        get(0);
        fleet.origin().write("two");
        fleet.store().loseChanges();
        fleet.cache(1).invalidate(KEY);
        fleet.advance(ofSeconds(1));
        restart();
        get(0, "another");

        fleet.advance(MAX_STALENESS.minusSeconds(1).plusNanos(1));

        assertThat(get(0)).isEqualTo("two");
    }

    @Test
    void twoOutagesDoNotProlongIt() {
        get(0);
        fleet.origin().write("two");
        restart();
        get(0, "another");
        fleet.advance(ofSeconds(1));
        fleet.store().refuse();
        get(0, "another");
        fleet.advance(OUTAGE);
        fleet.store().heal();
        get(0, "another");

        fleet.advance(ofSeconds(1).plusNanos(1));

        assertThat(get(0)).isEqualTo("two");
    }

    @Test
    void aReportedChangeEndsItAtOnce() {
        get(0);
        fleet.origin().write("two");
        restart();
        fleet.store().mendChanges();
        fleet.cache(1).invalidate(KEY);

        assertThat(get(0)).isEqualTo("two");
    }

    @Test
    void aChangeByTheProcessItselfEndsItAtOnce() {
        get(0);
        fleet.origin().write("two");
        kill();
        fleet.cache(0).invalidate(KEY);
        fleet.advance(OUTAGE);
        fleet.store().restart();

        assertThat(get(0)).isEqualTo("two");
    }

    @Test
    void aValueThatWasPutAfterTheRestartIsTheAnswer() {
        get(0);
        restart();
        fleet.cache(1).put(KEY, "two");

        assertThat(get(0)).isEqualTo("two");
    }

    @Test
    void withoutAnOutageAbsenceDisprovesACopyFromBeforeAGap() {
        get(0);
        fleet.origin().write("two");
        fleet.store().cutChanges();
        fleet.cache(1).invalidate(KEY);

        assertThat(get(0)).isEqualTo("two");
    }

    @Test
    void withoutAnOutageAbsenceDisprovesACopyAfterAGapToo() {
        get(0);
        fleet.origin().write("two");
        fleet.store().cutChanges();
        fleet.cache(1).invalidate(KEY);
        fleet.store().mendChanges();

        assertThat(get(0)).isEqualTo("two");
    }

    @Test
    void aCopyOfAnEarlierConnectionDoesNotAnswer() {
        get(0);
        fleet.origin().write("two");
        fleet.store().cutChanges().mendChanges();
        restart();

        assertThat(get(0)).isEqualTo("two");
    }

    @Test
    void whatWasLoadedDuringTheOutageAnswersToo() {
        kill();
        assertThat(get(0)).isEqualTo("one");
        fleet.origin().write("two");
        fleet.advance(OUTAGE);
        fleet.store().restart();
        fleet.origin().close();

        assertThat(get(0)).isEqualTo("one");
    }

    @Test
    void anAbsentRowIsRememberedToo() {
        fleet.origin().write(null);
        assertThat(get(0)).isNull();
        restart();
        fleet.origin().close();

        assertThat(get(0)).isNull();
    }

    @Test
    void aStaleCopyAnswersToo() {
        with(POLICY.toBuilder().softTtl(ofSeconds(1)).build());
        get(0);
        restart();
        fleet.origin().close();

        assertThat(get(0)).isEqualTo("one");
    }

    @Test
    void withALimitOfZeroTheOutageCounts() {
        with(POLICY.toBuilder().maxStalenessWhenDisconnected(ZERO).build());
        get(0);
        fleet.origin().write("two");
        restart();

        assertThat(get(0)).isEqualTo("two");
    }

    @Test
    void aLoadThatFailsEndsNoCopy() {
        get(0);
        restart();
        fleet.origin().fail(new IOException("down"));
        get(0);
        until(() -> fleet.origin().reads() == 2 && fleet.cache(0).reloading() == 0);

        assertThat(get(0)).isEqualTo("one");
    }

    @Test
    void aPrefetchLoadsOnlyWhatHasNoCopy() {
        fleet.cache(0).get("a", fleet.origin()::read);
        restart();
        fleet.origin().close(); // the load in the background

        fleet.cache(0).prefetch(List.of("a", "b"), fleet.bulkOrigin());

        assertThat(fleet.bulkOrigin().calls()).contains(List.of("b"));
    }

    @Test
    void theStoreIsReadOnceForEachAnswer() {
        get(0);
        restart();
        fleet.origin().close();
        int reads = fleet.store().count(Call.READ);
        int leases = fleet.store().count(Call.LEASE);

        get(0);
        until(() -> fleet.origin().running() == 1);

        assertThat(fleet.store().count(Call.READ)).isEqualTo(reads + 1);
        assertThat(fleet.store().count(Call.LEASE)).isEqualTo(leases + 1);
    }

    @Test
    void withoutANearCacheCallersWaitForOneLoad() {
        fleet.close();
        fleet = new Fleet(PROCESSES, POLICY);
        get(0);
        fleet.origin().write("two");
        restart();

        assertThat(get(0)).isEqualTo("two");
    }
}
