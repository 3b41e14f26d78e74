package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.EventType;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.WaitInterruptedException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/**
 * Callers that wait for another process are notified by it. The clock stands still unless a test advances it: nothing
 * polls.
 */
final class PushTest {
    private static final CachePolicy POLICY =
            CachePolicy.builder().waitTimeout(ofSeconds(1)).poll(ofMillis(10)).build();

    @AutoClose
    private final Fleet fleet = new Fleet(2, POLICY);

    @Test
    void valueArrivesWithTheMessage() throws Exception {
        Callers.Call<String> leader = fleet.loading(0, "k");
        List<Callers.Call<String>> waiting =
                fleet.callers().call(64, () -> fleet.cache(1).get("k", fleet.origin()::read));
        fleet.time().awaitWaiting(64);
        int asked = fleet.store().count(Call.LEASE);
        int read = fleet.store().count(Call.READ);
        assertThat(asked)
                .as("the leader's, and one waiter's: before it listened, and after")
                .isEqualTo(3);
        fleet.origin().open();

        assertThat(leader.result()).isEqualTo("one");
        assertThat(Callers.results(waiting)).containsOnly("one");
        assertThat(fleet.time().monotonicNanos()).isZero();
        assertThat(fleet.store().count(Call.LEASE)).isEqualTo(asked);
        assertThat(fleet.store().count(Call.READ))
                .as("at most one read, for all who came after the question")
                .isBetween(read, read + 1);
    }

    @Test
    void whoCameAfterTheQuestionIsServedByOneReadForAll() throws Exception {
        Callers.Call<String> leader = fleet.loading(0, "k");
        Callers.Call<String> asked = fleet.get(1, "k");
        until(() -> fleet.listener().count(EventType.LEASE_HELD) == 2);
        fleet.time().awaitWaiting(1);
        List<Callers.Call<String>> late =
                fleet.callers().call(20, () -> fleet.cache(1).get("k", fleet.origin()::read));
        fleet.time().awaitWaiting(21);
        int read = fleet.store().count(Call.READ);
        fleet.origin().open();

        leader.result();
        assertThat(asked.result()).isEqualTo("one");
        assertThat(Callers.results(late)).containsOnly("one");
        assertThat(fleet.store().count(Call.READ)).isEqualTo(read + 1);
    }

    @Test
    void messageFromBeforeAnInvalidationAnswersNobodyWhoCameAfterIt() throws Exception {
        Callers.Call<String> leader = fleet.loading(0, "k");
        Callers.Call<String> asked = fleet.get(1, "k");
        until(() -> fleet.listener().count(EventType.LEASE_HELD) == 2);
        fleet.time().awaitWaiting(1);
        Callers.Call<String> late = fleet.get(1, "k");
        fleet.time().awaitWaiting(2);
        // The message is in transit during a put and an invalidation.
        fleet.store().before(Call.READ, () -> {
            fleet.origin().write("two");
            fleet.cache(0).invalidate("k");
        });
        fleet.origin().open();

        leader.result();
        assertThat(late.result()).isEqualTo("two");
        asked.result();
    }

    @Test
    void whatWasPublishedBetweenTheQuestionAndTheWatchIsNotMissed() throws Exception {
        LeaseToken elsewhere = LeaseToken.next();
        on(fleet.store()).lease("fleet:k", elsewhere, null, ofSeconds(2));
        fleet.store().after(Call.LEASE, () -> on(fleet.store()).abandon("fleet:k", elsewhere));

        assertThat(fleet.get(1, "k").result()).isEqualTo("one");
        assertThat(fleet.time().monotonicNanos()).isZero();
    }

    @Test
    void abandonedLeaseWakesAWaitingCallerWhichTakesIt() throws Exception {
        LeaseToken elsewhere = LeaseToken.next();
        on(fleet.store()).lease("fleet:k", elsewhere, null, ofSeconds(2));
        Callers.Call<String> waits = fleet.get(1, "k");
        fleet.time().awaitWaiting(1);

        on(fleet.store()).abandon("fleet:k", elsewhere);

        assertThat(waits.result()).isEqualTo("one");
        assertThat(fleet.origin().reads()).isEqualTo(1);
        assertThat(fleet.time().monotonicNanos()).isZero();
    }

    @Test
    void messageOfAnotherHolderAnswersNobody() throws Exception {
        LeaseToken holder = LeaseToken.next();
        on(fleet.store()).lease("fleet:k", holder, null, ofSeconds(2));
        Callers.Call<String> waits = fleet.get(1, "k");
        fleet.time().awaitWaiting(1);
        fleet.origin().close();

        // Published earlier, and invalidated since: the message is late.
        fleet.store().tellLate("fleet:k", LeaseToken.next(), "old");

        until(() -> fleet.listener().count(EventType.LEASE_HELD) == 3);
        assertThat(waits.isOver()).isFalse();
        on(fleet.store()).abandon("fleet:k", holder);
        fleet.origin().open();
        assertThat(waits.result()).isEqualTo("one");
    }

    @ForEach
    void messagesThatAreLostOrNeverSentCostOnePoll(boolean sendsNone) throws Exception {
        try (Fleet two = sendsNone ? Fleet.polling(2, POLICY, cache -> cache) : new Fleet(2, POLICY)) {
            two.loading(0, "k");
            Callers.Call<String> waits = two.get(1, "k");
            two.time().awaitWaiting(1);
            assertThat(two.store().watches()).isEqualTo(sendsNone ? 0 : 1);

            two.store().loseNotices();
            two.origin().open();
            until(() -> two.store().done(Call.PUBLISH) == 1);
            assertThat(waits.isOver()).isFalse();

            two.advance(POLICY.maxPollInterval());
            assertThat(waits.result()).isEqualTo("one");
        }
    }

    @Test
    void watchEndsWithAnInterruptToo() throws Exception {
        on(fleet.store()).lease("fleet:k", LeaseToken.next(), null, ofSeconds(2));
        Callers.Call<String> waits = fleet.get(1, "k");
        fleet.time().awaitWaiting(1);

        waits.interrupt();

        assertThat(waits.failure()).isInstanceOf(WaitInterruptedException.class);
        assertThat(fleet.store().watches()).isZero();
    }
}
