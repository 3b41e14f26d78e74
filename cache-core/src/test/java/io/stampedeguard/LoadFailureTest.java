package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.EventType;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.WaitInterruptedException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.io.IOException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each way in which a loader can fail or be cut off, and the effect on each caller. */
final class LoadFailureTest {
    private final Fleet fleet =
            new Fleet(2, CachePolicy.builder().poll(ofMillis(1)).build());

    @AfterEach
    void close() {
        fleet.close();
    }

    @Test
    void eachCallerGetsItsOwnExceptionWithTheSameCause() throws Exception {
        IOException down = new IOException("origin is down");
        fleet.origin().fail(down);
        fleet.origin().close();
        List<Callers.Call<String>> calls =
                fleet.callers().call(16, () -> fleet.cache(0).get("k", fleet.origin()::read));
        fleet.time().awaitWaiting(15);
        fleet.origin().open();

        Set<Throwable> thrown = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Callers.Call<String> call : calls) {
            Throwable failure = call.failure();
            assertThat(failure)
                    .isInstanceOf(LoadException.class)
                    .hasCause(down)
                    .hasMessage("the loader failed for 'fleet:k'");
            thrown.add(failure);
        }
        assertThat(thrown).hasSize(16);
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @Test
    void failureGivesTheLeaseBackAndWhoComesAfterTheCoolDownLoadsAgain() {
        fleet.origin().fail(new IllegalStateException("broken"));
        assertThatThrownBy(() -> fleet.cache(0).get("k", fleet.origin()::read)).isInstanceOf(LoadException.class);
        fleet.origin().fail(null);
        fleet.advance(CachePolicy.defaults().failureCoolDown());

        assertThat(fleet.cache(1).get("k", fleet.origin()::read)).isEqualTo("one");
        assertThat(fleet.listener().count(EventType.LEASE_HELD)).isZero();
        assertThat(fleet.listener().count(EventType.LOAD_FAILED)).isEqualTo(1);
    }

    @Test
    void errorIsThrownOnAsItIsToTheLeaderAndAsCauseToTheOthers() throws Exception {
        AssertionError error = new AssertionError("a bug");
        fleet.origin().fail(error);
        fleet.origin().close();
        Callers.Call<String> leader = fleet.get(0, "k");
        until(() -> fleet.origin().running() == 1);
        Callers.Call<String> follower = fleet.get(0, "k");
        fleet.time().awaitWaiting(1);
        fleet.origin().open();

        assertThat(leader.failure()).isSameAs(error);
        assertThat(follower.failure()).isInstanceOf(LoadException.class).hasCause(error);
        fleet.origin().fail(null);
        fleet.advance(CachePolicy.defaults().failureCoolDown());
        assertThat(fleet.cache(1).get("k", fleet.origin()::read)).isEqualTo("one");
    }

    @Test
    void interruptOfTheLeaderInItsLoaderFailsTheLeaderAloneAndLeavesNoLease() throws Exception {
        fleet.origin().close();
        Callers.Call<Boolean> leader = fleet.callers().call(() -> {
            assertThatThrownBy(() -> fleet.cache(0).get("k", fleet.origin()::read))
                    .isInstanceOf(LoadException.class)
                    .hasCauseInstanceOf(InterruptedException.class);
            return Thread.currentThread().isInterrupted();
        });
        until(() -> fleet.origin().running() == 1);
        Callers.Call<String> follower = fleet.get(0, "k");
        fleet.time().awaitWaiting(1);
        fleet.origin().close().countDown();

        leader.interrupt();

        assertThat(leader.result()).as("the interrupt flag is set again").isTrue();
        assertThat(follower.result()).as("retries and loads").isEqualTo("one");
        assertThat(fleet.time().monotonicNanos())
                .as("the lease was given back, not waited for")
                .isZero();
    }

    @Test
    void interruptOfAFollowerIsReportedAndDisturbsNobody() throws Exception {
        fleet.origin().close();
        Callers.Call<String> leader = fleet.get(0, "k");
        until(() -> fleet.origin().running() == 1);
        Callers.Call<Boolean> follower = interruptedGet();
        fleet.time().awaitWaiting(1);

        follower.interrupt();

        assertThat(follower.result()).isTrue();
        fleet.origin().open();
        assertThat(leader.result()).isEqualTo("one");
    }

    @Test
    void interruptOfALeaderThatWaitsForAnotherProcessSendsItsFollowersRoundAgain() throws Exception {
        LeaseToken elsewhere = LeaseToken.next();
        on(fleet.store()).lease("fleet:k", elsewhere, null, ofSeconds(2));
        Callers.Call<Boolean> leader = interruptedGet();
        fleet.time().awaitWaiting(1);
        Callers.Call<String> follower = fleet.get(0, "k");
        fleet.time().awaitWaiting(2);

        leader.interrupt();

        assertThat(leader.result()).isTrue();
        on(fleet.store()).abandon("fleet:k", elsewhere);
        assertThat(follower.result()).isEqualTo("one");
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @Test
    void callerCutOffWhileItAsksForTheLeaseLeavesNone() throws Exception {
        fleet.store().after(Call.LEASE, () -> Thread.currentThread().interrupt());
        fleet.store().loseAnswers(Call.LEASE);

        assertThat(interruptedGet().result()).isTrue();

        fleet.store().heal();
        until(() -> fleet.store().done(Call.ABANDON) == 1);
        assertThat(fleet.cache(1).get("k", fleet.origin()::read)).isEqualTo("one");
        assertThat(fleet.listener().count(EventType.LEASE_HELD)).isZero();
    }

    @Test
    void callerCutOffWhileItPublishesLeavesNoLease() throws Exception {
        fleet.store().before(Call.PUBLISH, () -> Thread.currentThread().interrupt());
        fleet.store().refuse(Call.PUBLISH);
        Callers.Call<String> cutOff = fleet.callers().call(() -> {
            String value = fleet.cache(0).get("k", fleet.origin()::read);
            return value + (Thread.interrupted() ? ", interrupted" : "");
        });

        assertThat(cutOff.result()).isEqualTo("one, interrupted");
        fleet.store().heal();
        until(() -> fleet.store().done(Call.ABANDON) == 1);
        assertThat(fleet.cache(1).get("k", fleet.origin()::read)).isEqualTo("one");
        assertThat(fleet.listener().count(EventType.LEASE_HELD)).isZero();
    }

    /** A get that will be interrupted; its result is the interrupt flag afterwards. */
    private Callers.Call<Boolean> interruptedGet() {
        return fleet.callers().call(() -> {
            assertThatThrownBy(() -> fleet.cache(0).get("k", fleet.origin()::read))
                    .isInstanceOf(WaitInterruptedException.class)
                    .hasMessage("interrupted while waiting for 'fleet:k'");
            return Thread.currentThread().isInterrupted();
        });
    }
}
