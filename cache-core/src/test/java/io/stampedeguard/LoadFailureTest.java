package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.EnumSource.Mode.MATCH_NONE;

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
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each way in which a loader can fail or be cut off, and the effect on each caller. */
final class LoadFailureTest {
    @AutoClose
    private final Fleet fleet =
            new Fleet(2, CachePolicy.builder().poll(ofMillis(1)).build());

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
    void errorReachesTheLeaderAsIsAndFollowersAsCause() throws Exception {
        AssertionError error = new AssertionError("a bug");
        fleet.origin().fail(error);
        Callers.Call<String> leader = fleet.loading(0, "k");
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
    void interruptOfAWaitingLeaderSendsItsFollowersRoundAgain() throws Exception {
        LeaseToken elsewhere = LeaseToken.next();
        on(fleet.store()).lease("fleet:k", elsewhere, null, ofSeconds(2));
        Callers.Call<Boolean> leader = interrupted(FormOfGet.GET);
        fleet.time().awaitWaiting(1);
        Callers.Call<String> follower = fleet.get(0, "k");
        fleet.time().awaitWaiting(2);

        leader.interrupt();

        assertThat(leader.result()).isTrue();
        on(fleet.store()).abandon("fleet:k", elsewhere);
        assertThat(follower.result()).isEqualTo("one");
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(mode = MATCH_NONE, names = ".*_ASYNC")
    void callerInterruptedWhileItsReadFailsLoadsNothing(FormOfGet form) throws Exception {
        Call read = form.call(Call.READ);
        fleet.store().before(read, () -> Thread.currentThread().interrupt());
        fleet.store().refuse(read);

        assertThat(interrupted(form).result()).isTrue();
        assertThat(fleet.origin().reads()).isZero();
    }

    @ParameterizedTest
    @EnumSource(mode = MATCH_NONE, names = ".*_ASYNC")
    void callerCutOffWhileItAsksForTheLeaseLeavesNone(FormOfGet form) throws Exception {
        Call lease = form.call(Call.LEASE);
        fleet.store().after(lease, () -> Thread.currentThread().interrupt());
        fleet.store().loseAnswers(lease);

        assertThat(interrupted(form).result()).isTrue();

        assertThat(fleet.origin().reads()).isZero();
        fleet.store().heal();
        until(() -> fleet.store().done(form.call(Call.ABANDON)) == 1);
        assertThat(fleet.cache(1).get("k", fleet.origin()::read)).isEqualTo("one");
        assertThat(fleet.listener().count(EventType.LEASE_HELD)).isZero();
    }

    @ParameterizedTest
    @EnumSource(mode = MATCH_NONE, names = ".*_ASYNC")
    void callerCutOffWhileItPublishesLeavesNoLease(FormOfGet form) throws Exception {
        Call publish = form.call(Call.PUBLISH);
        fleet.store().before(publish, () -> Thread.currentThread().interrupt());
        fleet.store().refuse(publish);

        Callers.Call<String> cutOff = fleet.callers().call(() -> {
            String value = form.askChecked(fleet.cache(0), fleet.origin());
            return value + (Thread.interrupted() ? ", interrupted" : "");
        });

        assertThat(cutOff.result()).isEqualTo("one, interrupted");
        fleet.store().heal();
        until(() -> fleet.store().done(form.call(Call.ABANDON)) == 1);
        assertThat(fleet.cache(1).get("k", fleet.origin()::read)).isEqualTo("one");
        assertThat(fleet.listener().count(EventType.LEASE_HELD)).isZero();
    }

    /** A call that will be interrupted; its result is the interrupt flag afterwards. */
    private Callers.Call<Boolean> interrupted(FormOfGet form) {
        return fleet.callers().call(() -> {
            assertThatThrownBy(() -> form.ask(fleet.cache(0), fleet.origin()))
                    .isInstanceOf(WaitInterruptedException.class)
                    .hasMessage("interrupted while waiting for 'fleet:k'");
            return Thread.currentThread().isInterrupted();
        });
    }
}
