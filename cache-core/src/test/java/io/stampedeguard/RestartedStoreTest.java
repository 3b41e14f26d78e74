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
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

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

    @ForEach
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

    @ForEach
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
    void aCopyAnswersForTheMaximumStalenessExcludingTheOutage() throws Exception {
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

    private static Arguments end(String name, Consumer<RestartedStoreTest> happens) {
        return Arguments.of(Named.of(name, happens));
    }

    private void invalidateElsewhere() {
        fleet.cache(1).invalidate(KEY);
    }

    /** After each of these, a copy of before answers no more. */
    static Stream<Arguments> ends() {
        return Stream.of(
                end("its time, which begins when the process is told of changes, though it reads nothing", test -> {
                    test.restart();
                    test.fleet.store().mendChanges().loseChanges();
                    test.invalidateElsewhere();
                    test.fleet.advance(MAX_STALENESS.plusNanos(1));
                }),
                end("its time, though a change after the restart was missed", test -> {
                    test.restart();
                    test.get(0, "another");
                    test.invalidateElsewhere();
                    test.fleet.advance(MAX_STALENESS.plusNanos(1));
                }),
                end("its time, though a change before the outage was missed", test -> {
                    test.fleet.store().loseChanges();
                    test.invalidateElsewhere();
                    test.fleet.advance(ofSeconds(1));
                    test.restart();
                    test.get(0, "another");
                    test.fleet.advance(MAX_STALENESS.minusSeconds(1).plusNanos(1));
                }),
                end("its time, which a second outage does not prolong", test -> {
                    test.restart();
                    test.get(0, "another");
                    test.fleet.advance(ofSeconds(1));
                    test.fleet.store().refuse();
                    test.get(0, "another");
                    test.fleet.advance(OUTAGE);
                    test.fleet.store().heal();
                    test.get(0, "another");
                    test.fleet.advance(ofSeconds(1).plusNanos(1));
                }),
                end("a reported change", test -> {
                    test.restart();
                    test.fleet.store().mendChanges();
                    test.invalidateElsewhere();
                }),
                end("a change by the process itself", test -> {
                    test.kill();
                    test.fleet.cache(0).invalidate(KEY);
                    test.fleet.advance(OUTAGE);
                    test.fleet.store().restart();
                }),
                end("a value that was put after the restart", test -> {
                    test.restart();
                    test.fleet.cache(1).put(KEY, "two");
                }),
                end("absence without an outage, within a gap", test -> {
                    test.fleet.store().cutChanges();
                    test.invalidateElsewhere();
                }),
                end("absence without an outage, after a gap", test -> {
                    test.fleet.store().cutChanges();
                    test.invalidateElsewhere();
                    test.fleet.store().mendChanges();
                }),
                end("a new connection before the restart", test -> {
                    test.fleet.store().cutChanges().mendChanges();
                    test.restart();
                }));
    }

    @ParameterizedTest
    @MethodSource("ends")
    void aCopyAnswersNoMoreAfter(Consumer<RestartedStoreTest> end) {
        get(0);
        fleet.origin().write("two");

        end.accept(this);

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

    @ForEach
    void withoutCopiesOrWithALimitOfZeroCallersWait(boolean near) {
        fleet.close();
        fleet = near
                ? new Fleet(
                        PROCESSES,
                        POLICY.toBuilder().maxStalenessWhenDisconnected(ZERO).build(),
                        NEAR)
                : new Fleet(PROCESSES, POLICY);
        get(0);
        fleet.origin().write("two");
        restart();

        assertThat(get(0)).isEqualTo("two");
    }
}
