package io.stampedeguard.internal.call;

import static io.stampedeguard.event.OriginState.DEFERRED;
import static io.stampedeguard.event.OriginState.EXTENDED_STALE;
import static io.stampedeguard.event.OriginState.NORMAL;
import static io.stampedeguard.event.OriginState.NO_EARLY_REFRESH;
import static io.stampedeguard.testkit.Fleet.until;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofNanos;
import static java.time.Duration.ofSeconds;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.CapturedLog;
import io.stampedeguard.event.OriginState;
import io.stampedeguard.internal.call.LoadPermits.Permit;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.observe.HotKeys;
import io.stampedeguard.internal.thread.BackgroundTasks;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.RecordingListener;
import io.stampedeguard.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When the origin counts as under strain, and when as recovered. */
final class OriginGuardTest {
    private static final CachePolicy POLICY =
            CachePolicy.builder().maxConcurrentLoads(1).build();

    private final VirtualTime time = new VirtualTime();
    private final RecordingListener listener = new RecordingListener();

    @AutoClose
    private final Callers callers = new Callers();

    private LoadPermits permits;
    private OriginGuard guard;

    @BeforeEach
    void create() {
        create(POLICY);
    }

    private void create(CachePolicy policy) {
        create("guarded-origin", policy);
    }

    private void create(String cache, CachePolicy policy) {
        CacheContext context =
                new CacheContext(cache, policy, time, new CacheEvents(cache, listener, time), new HotKeys(cache, time));
        permits = new LoadPermits(context, new BackgroundTasks(cache, "tasks", time));
        guard = new OriginGuard(context, permits, new BackgroundTasks(cache, "tasks", time));
    }

    private void second(int calls, Duration length) {
        second(calls, length, 1);
    }

    /** Lets a second pass in which calls begin together, each for a number of keys, and end after a time. */
    private void second(int calls, Duration length, int keys) {
        List<OriginGuard.Call> begun = begin(calls, keys);
        time.advance(length);
        begun.forEach(call -> call.end(true, length.toNanos()));
        time.advance(ofSeconds(1).minus(length));
    }

    private List<OriginGuard.Call> begin(int calls, int keys) {
        List<OriginGuard.Call> begun = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            OriginGuard.Call call = guard.call(keys);
            call.begin(time.monotonicNanos());
            begun.add(call);
        }
        return begun;
    }

    /** Lets calls begin that fail at once. */
    private void fail(int calls) {
        begin(calls, 1).forEach(call -> call.end(false, 0));
    }

    private void seconds(int number, int calls, Duration length) {
        for (int i = 0; i < number; i++) {
            second(calls, length);
        }
    }

    /** Loads of 10 ms are the normal afterwards. */
    private void learn() {
        seconds(30, 10, ofMillis(10));
        assertThat(guard.state()).isEqualTo(NORMAL);
    }

    private void strain() {
        learn();
        for (int i = 0; guard.state() != DEFERRED; i++) {
            second(20, ofMillis(100));
            assertThat(i).as("seconds until the last step").isLessThan(10);
        }
    }

    private List<OriginState> reported(int number) {
        until(() -> listener.events(OriginState.class).size() >= number);
        return listener.events(OriginState.class);
    }

    @Test
    void slowLoadsRaiseTheStateByOneStepASecond() {
        learn();
        List<OriginState> states = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            second(20, ofMillis(100));
            states.add(guard.state());
        }

        assertThat(states).containsExactly(NO_EARLY_REFRESH, EXTENDED_STALE, DEFERRED, DEFERRED);
        assertThat(reported(3)).containsExactly(NO_EARLY_REFRESH, EXTENDED_STALE, DEFERRED);
    }

    @Test
    void stateFallsByOneStepForFiveSecondsOfCalm() {
        strain();
        List<OriginState> states = new ArrayList<>();
        while (guard.state() != NORMAL) {
            second(20, ofMillis(10));
            states.add(guard.state());
        }

        assertThat(states.stream().filter(DEFERRED::equals).count())
                .as("some seconds until it is calm, then five")
                .isBetween(5L, 9L);
        assertThat(states.stream().filter(EXTENDED_STALE::equals).count()).isEqualTo(5);
        assertThat(states.stream().filter(NO_EARLY_REFRESH::equals).count()).isEqualTo(5);
        assertThat(reported(6))
                .endsWith(EXTENDED_STALE, NO_EARLY_REFRESH, NORMAL)
                .hasSize(6);
    }

    @Test
    void betweenTheThresholdsTheStateStays() {
        learn();
        seconds(60, 20, ofMillis(20));
        assertThat(guard.state()).isEqualTo(NORMAL);

        create();
        strain();
        seconds(60, 20, ofMillis(20));
        assertThat(guard.state()).isEqualTo(DEFERRED);
    }

    @Test
    void singleSlowLoadIsNoStrain() {
        learn();
        OriginGuard.Call slow = guard.call(1);
        slow.begin(time.monotonicNanos());
        seconds(20, 5, ofMillis(10));
        slow.end(true, ofSeconds(20).toNanos());
        seconds(5, 5, ofMillis(10));

        assertThat(listener.events(OriginState.class)).isEmpty();
        assertThat(guard.state()).isEqualTo(NORMAL);
    }

    @Test
    void tooFewLoadsAreNoStrain() {
        learn();
        seconds(30, 1, ofMillis(900));

        assertThat(guard.state()).isEqualTo(NORMAL);
    }

    @Test
    void failuresDoNotTeachThatTheOriginIsFast() {
        for (int i = 0; i < 30; i++) {
            fail(10);
            time.advance(ofSeconds(1));
        }
        seconds(30, 10, ofMillis(10));

        assertThat(guard.state()).isEqualTo(NORMAL);
        assertThat(listener.events(OriginState.class)).isEmpty();
    }

    @Test
    void fastFailuresDoNotMakeUpForSlowLoads() {
        learn();
        fail(20);
        second(20, ofMillis(100));
        fail(20);

        assertThat(guard.state()).isEqualTo(NO_EARLY_REFRESH);
    }

    @Test
    void originThatIsSlowFromTheBeginningIsNormal() {
        seconds(60, 10, ofMillis(900));

        assertThat(guard.state()).isEqualTo(NORMAL);
    }

    @Test
    void loadsOfAMillisecondAreNoStrain() {
        seconds(30, 10, ofNanos(100_000));
        seconds(30, 10, ofMillis(1));

        assertThat(guard.state()).isEqualTo(NORMAL);
    }

    @Test
    void callsForManyKeysHaveANormalOfTheirOwn() {
        learn();
        for (int i = 0; i < 30; i++) {
            second(10, ofMillis(500), 100);
        }

        assertThat(guard.state()).isEqualTo(NORMAL);
        second(20, ofMillis(100));
        second(20, ofMillis(100));
        assertThat(guard.state()).isNotEqualTo(NORMAL);
    }

    @Test
    void callsThatHaveNotEndedCount() {
        learn();
        for (int i = 0; i < 20; i++) {
            guard.call(1).begin(time.monotonicNanos());
        }
        time.advance(ofSeconds(1));

        assertThat(guard.state()).isEqualTo(NO_EARLY_REFRESH);
    }

    @Test
    void longWaitsForAPermitAloneAreStrain() throws Exception {
        Permit taken = requireNonNull(permits.tryAcquire());
        Callers.Call<Permit> waits =
                callers.call(() -> permits.acquire(ofSeconds(10).toNanos(), () -> 1));
        time.awaitWaiting(1);

        time.advance(ofMillis(999));
        assertThat(guard.state()).isEqualTo(NORMAL);
        time.advance(ofMillis(1));
        assertThat(guard.state()).isEqualTo(NO_EARLY_REFRESH);

        taken.release();
        waits.result().release();
        for (int i = 0; i < 5; i++) {
            time.advance(ofSeconds(1));
        }
        assertThat(guard.state()).isEqualTo(NORMAL);
    }

    @Test
    void stateOfAnIdleCacheFalls() {
        strain();
        int seconds = 0;
        while (guard.lastState() != NORMAL) {
            time.advance(ofSeconds(1));
            seconds++;
        }

        assertThat(seconds).isBetween(15, 20);
        assertThat(reported(6)).hasSize(6).endsWith(NORMAL);
        assertThat(time.timers()).isZero();
    }

    @Test
    void lastingChangeBecomesTheNormal() {
        strain();
        long until = time.monotonicNanos() + ofHours(2).toNanos();
        while (guard.state() != NORMAL && time.monotonicNanos() < until) {
            second(10, ofMillis(100));
        }

        assertThat(guard.state()).isEqualTo(NORMAL);
        seconds(60, 10, ofMillis(100));
        assertThat(guard.state()).isEqualTo(NORMAL);
    }

    @Test
    void disabledGuardDoesNothing() {
        create(POLICY.toBuilder().originGuard(false).build());
        seconds(30, 10, ofMillis(10));
        seconds(30, 20, ofMillis(900));

        assertThat(guard.state()).isEqualTo(NORMAL);
        assertThat(listener.events()).isEmpty();
        assertThat(time.timers()).isZero();
    }

    @Test
    void logHasOneWarningForAllSteps() {
        create("logged-origin", POLICY);
        try (CapturedLog log = new CapturedLog()) {
            strain();
            while (guard.lastState() != NORMAL) {
                time.advance(ofSeconds(1));
            }
            reported(6);

            assertThat(log.warningsOf("logged-origin"))
                    .singleElement()
                    .asString()
                    .contains(
                            "the origin is under strain", "loads take 4.3 times as long as normal", "permit is 0.0 s");
        }
    }

    @Test
    void guardOfAClosedCacheSparesNothing() {
        strain();
        reported(3);
        guard.close();
        seconds(5, 20, ofMillis(100));

        assertThat(guard.state()).isEqualTo(NORMAL);
        assertThat(listener.events(OriginState.class)).hasSize(3);
        assertThat(time.timers()).isZero();
    }
}
