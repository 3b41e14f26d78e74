package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static io.stampedeguard.testkit.Policies.withoutJitter;
import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.loader.WaitInterruptedException;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A call's own limit ends its wait, and no other caller's, and no load. */
final class MaxWaitTest {
    private static final Duration MANY_DAYS = Duration.ofSeconds(Long.MAX_VALUE);

    private static final CachePolicy POLICY = withoutJitter(ofSeconds(10), ofSeconds(60))
            .leaseTtl(ofSeconds(60))
            .waitTimeout(ofSeconds(8))
            .loadTimeout(ofSeconds(200))
            .maxConcurrentLoads(1)
            .build();

    @AutoClose
    private final Fleet fleet = new Fleet(2, POLICY);

    private Callers.Call<String> get(int process, Duration maxWait) {
        return fleet.callers().call(() -> fleet.cache(process).get("k", fleet.origin()::read, maxWait));
    }

    private void holdElsewhere() {
        on(fleet.store()).lease("fleet:k", LeaseToken.next(), null, ofSeconds(60));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void waitForAnotherCallersLoadEndsAndTheLoadContinues(int process) throws Exception {
        Callers.Call<String> leader = fleet.loading(0, "k");
        Callers.Call<String> brief = get(process, ofSeconds(1));
        Callers.Call<String> patient = fleet.get(process, "k");
        fleet.time().awaitWaiting(2);

        fleet.advance(ofMillis(999));
        fleet.time().awaitWaiting(2);
        fleet.advance(ofMillis(1));

        assertThat(brief.failure())
                .isInstanceOf(WaitTimeoutException.class)
                .hasMessageContaining("'fleet:k'")
                .hasMessageEndingWith("did not end within the waitTimeout or the maxWait of the call");
        fleet.origin().open();
        assertThat(leader.result()).isEqualTo("one");
        assertThat(patient.result()).isEqualTo("one");
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void zeroDoesNotWait(int process) throws Exception {
        Callers.Call<String> leader = fleet.loading(0, "k");

        assertThat(get(process, ZERO).failure()).isInstanceOf(WaitTimeoutException.class);

        assertThat(fleet.time().monotonicNanos()).isZero();
        fleet.origin().open();
        assertThat(leader.result()).isEqualTo("one");
        assertThat(get(process, ZERO).result()).as("a hit").isEqualTo("one");
    }

    @Test
    void zeroLoadsIfNobodyElseDoes() throws Exception {
        assertThat(get(0, ZERO).result()).isEqualTo("one");
    }

    @Test
    void theWaitTimeoutRemainsALimit() throws Exception {
        holdElsewhere();
        Callers.Call<String> waits = get(0, MANY_DAYS);
        fleet.time().awaitWaiting(1);

        fleet.advance(ofSeconds(8));

        assertThat(waits.failure()).isInstanceOf(WaitTimeoutException.class);
    }

    @Test
    void waitForAPermitEnds() throws Exception {
        Callers.Call<String> other = fleet.loading(0, "other");
        Callers.Call<String> brief = get(0, ofSeconds(1));
        fleet.time().awaitWaiting(1);

        fleet.advance(ofSeconds(1));

        assertThat(brief.failure()).isInstanceOf(OriginBusyException.class).hasMessageContaining("maxWait");
        fleet.origin().open();
        assertThat(other.result()).isEqualTo("one");
    }

    @Test
    void connectionIsWaitedForNoLonger() {
        fleet.store().before(Call.READ, () -> fleet.advance(ofSeconds(1)));

        fleet.cache(0).get("k", fleet.origin()::read, ofSeconds(3));

        assertThat(fleet.store().patiences()).containsExactly(ofSeconds(3), ofSeconds(2));
    }

    @Test
    void loadOfTheCallItselfIsNotCutOffAndServesOthers() throws Exception {
        fleet.origin().close();
        Callers.Call<String> leader = get(0, ofSeconds(1));
        until(() -> fleet.origin().running() == 1);
        Callers.Call<String> follower = fleet.get(0, "k");
        Callers.Call<String> elsewhere = fleet.get(1, "k");
        fleet.time().awaitWaiting(2);

        fleet.advance(ofSeconds(5));
        fleet.origin().open();

        assertThat(leader.result()).isEqualTo("one");
        assertThat(follower.result()).isEqualTo("one");
        assertThat(elsewhere.result()).isEqualTo("one");
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @Test
    void followerTakesOverFromALeaderWhoseTimeIsOver() throws Exception {
        holdElsewhere();
        Callers.Call<String> leader = get(0, ofSeconds(1));
        fleet.time().awaitWaiting(1);
        Callers.Call<String> follower = fleet.get(0, "k");
        fleet.time().awaitWaiting(2);

        fleet.advance(ofSeconds(1));
        assertThat(leader.failure()).isInstanceOf(WaitTimeoutException.class);
        fleet.time().awaitWaiting(1);
        fleet.cache(1).put("k", "put");

        assertThat(follower.result()).isEqualTo("put");
        assertThat(fleet.origin().reads()).isZero();
    }

    @Test
    void entryInTheStoreAnswersWhenTheTimeIsOver() throws Exception {
        fleet.loading(0, "k");
        Callers.Call<String> brief = get(0, ofSeconds(1));
        fleet.time().awaitWaiting(1);
        fleet.cache(1).put("k", "put");

        fleet.advance(ofSeconds(1));

        assertThat(brief.result()).isEqualTo("put");
    }

    @Test
    void copyOfTheNearCacheStandsInWhenTheTimeIsOver() {
        try (Fleet near = Fleet.near(1, POLICY)) {
            near.cache(0).get("k", near.origin()::read);
            near.advance(ofSeconds(11));
            near.store().exhaust();

            assertThat(near.cache(0).get("k", near.origin()::read, ZERO)).isEqualTo("one");
            assertThat(near.origin().reads()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void waitForTheReplayOfAQueuedChangeEndsWithoutALoad(int seconds) throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        fleet.store().refuse(Call.INVALIDATE);
        fleet.cache(0).invalidate("k");
        fleet.store().heal().before(Call.INVALIDATE, () -> Fleet.await(gate));
        Callers.Call<String> replays = fleet.get(0, "k");
        until(() -> fleet.store().count(Call.INVALIDATE) == 2);

        Callers.Call<String> brief = get(0, ofSeconds(seconds));
        if (seconds > 0) {
            fleet.time().awaitWaiting(1);
            fleet.advance(ofSeconds(seconds));
        }

        assertThat(brief.failure())
                .isInstanceOf(WaitTimeoutException.class)
                .hasRootCauseMessage("another caller's replay of its queued change did not end in time");
        assertThat(fleet.origin().reads()).isZero();
        gate.countDown();
        assertThat(replays.result()).isEqualTo("one");
    }

    @Test
    void replayOfAQueuedChangeIsNoWait() {
        fleet.store().refuse(Call.INVALIDATE);
        fleet.cache(0).invalidate("k");
        assertThat(fleet.cache(0).get("k", fleet.origin()::read, ZERO))
                .as("no answer")
                .isEqualTo("one");

        fleet.store().heal();

        assertThat(fleet.cache(0).get("k", fleet.origin()::read, ZERO)).isEqualTo("one");
    }

    @Test
    void storeThatIsDownIsNoWait() {
        fleet.store().refuse();

        assertThat(fleet.cache(0).get("k", fleet.origin()::read, ZERO)).isEqualTo("one");
    }

    @Test
    void interruptEndsTheWait() throws Exception {
        holdElsewhere();
        Callers.Call<String> waits = get(0, ofSeconds(1));
        fleet.time().awaitWaiting(1);

        waits.interrupt();

        assertThat(waits.failure()).isInstanceOf(WaitInterruptedException.class);
    }

    @Test
    void badLimitIsRefused() {
        StampedeGuardedCache<String, String> cache = fleet.cache(0);
        assertThatThrownBy(() -> cache.get("k", key -> "v", null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("null maxWait for cache 'fleet'");
        assertThatThrownBy(() -> cache.get("k", null, ZERO))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("null loader for cache 'fleet'");
        assertThatThrownBy(() -> cache.get(null, key -> "v", ZERO))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("null key for cache 'fleet'");
        assertThatThrownBy(() -> cache.get("k", key -> "v", ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("cache 'fleet': maxWait PT-0.001S is negative");
        cache.close();
        assertThatThrownBy(() -> cache.get("k", key -> "v", ZERO)).isInstanceOf(IllegalStateException.class);
    }
}
