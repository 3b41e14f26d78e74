package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.EventType;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** P2: a value loaded before an invalidation answers no caller that comes after it. */
final class InvalidationTest {
    @AutoClose
    private final Fleet fleet =
            new Fleet(2, CachePolicy.builder().maxConcurrentLoads(2).build());

    @ForEach
    void whoJoinsDuringALoadThatLosesItsLeaseGoesRoundAgain(FormOfGet form) throws Exception {
        Callers.Call<String> leader = form.loadingOf(fleet, 0);
        Callers.Call<String> follower = form.askOf(fleet, 0);
        until(() -> fleet.cache(0).explain("k").waiters() == 1);

        fleet.origin().write("two");
        on(fleet.store()).invalidate("fleet:k"); // by another process: the flights of this one are not notified
        fleet.origin().open();

        assertThat(leader.result()).isEqualTo("one");
        assertThat(follower.result()).isEqualTo("two");
        assertThat(fleet.origin().reads()).isEqualTo(2);
        assertThat(fleet.listener().count(EventType.WAIT_RETRY)).isPositive();
    }

    @Test
    void onlyWhoCameBeforeTheLoadBeganMayHaveItsValue() throws Exception {
        CountDownLatch allPermits = fleet.origin().close();
        fleet.get(0, "another key");
        fleet.get(0, "a third key");
        until(() -> fleet.origin().running() == 2);
        Callers.Call<String> leader = fleet.get(0, "k");
        fleet.time().awaitWaiting(1);
        Callers.Call<String> early = fleet.get(0, "k");
        fleet.time().awaitWaiting(2);
        fleet.origin().close();
        allPermits.countDown();
        until(() -> fleet.origin().reads() == 3);
        Callers.Call<String> later = fleet.get(0, "k");
        fleet.time().awaitWaiting(2);

        fleet.origin().write("two");
        on(fleet.store()).invalidate("fleet:k"); // by another process: the flights of this one are not notified
        fleet.origin().open();

        assertThat(leader.result()).isEqualTo("one");
        assertThat(early.result()).isEqualTo("one");
        assertThat(later.result()).isEqualTo("two");
        assertThat(fleet.listener().count(EventType.WAIT_RETRY)).isEqualTo(1);
    }

    @ForEach
    void callerAfterAnOwnInvalidationDoesNotJoinTheOldFlight(FormOfGet form) throws Exception {
        CountDownLatch oldGate = fleet.origin().close();
        Callers.Call<String> old = form.askOf(fleet, 0);
        until(() -> fleet.origin().running() == 1);

        fleet.origin().write("two");
        fleet.cache(0).invalidate("k");
        fleet.origin().close().countDown();

        assertThat(fleet.cache(0).get("k")).isEqualTo("two");
        oldGate.countDown();
        assertThat(old.result()).isEqualTo("one");
        assertThat(fleet.cache(1).get("k")).isEqualTo("two");
    }

    @ForEach
    void invalidationBetweenPublishAndLandingReachesNobodyWhoAsksAfterIt(FormOfGet form) throws Exception {
        AtomicReference<String> seenAfter = new AtomicReference<>();
        fleet.store().after(form.call(Call.PUBLISH), () -> {
            fleet.origin().write("two");
            on(fleet.store()).invalidate("fleet:k");
            seenAfter.set(fleet.cache(0).get("k"));
        });

        assertThat(form.askOf(fleet, 0).result()).isEqualTo("one");
        assertThat(seenAfter.get()).isEqualTo("two");
    }

    @ForEach
    void valueFoundByTheLeaderAnswersOnlyEarlierCallers(FormOfGet form) throws Exception {
        AtomicReference<Callers.Call<String>> later = new AtomicReference<>();
        Call request = form.call(Call.LEASE);
        fleet.store().before(request, () -> fleet.cache(1).put("k", "found"));
        fleet.store().after(request, () -> {
            fleet.origin().write("two");
            on(fleet.store()).invalidate("fleet:k");
            later.set(fleet.get(0, "k"));
            until(() -> fleet.time().waiting() == 1);
        });

        assertThat(form.askOf(fleet, 0).result()).isEqualTo("found");
        assertThat(later.get().result()).isEqualTo("two");
    }

    @Test
    void leaseThatIsGrantedLongAfterItWasAskedForStoresNothing() throws Exception {
        fleet.store().delay(Call.LEASE);

        fleet.cache(0).get("k", key -> {
            String old = fleet.origin().read(key);
            fleet.store().heal();
            fleet.origin().write("two");
            fleet.cache(1).invalidate("k");
            fleet.store().hearLate(); // it was delayed by a network failure
            return old;
        });

        Callers.Call<String> next = fleet.get(1, "k");
        until(() -> next.isOver() || fleet.time().waiting() == 1);
        if (!next.isOver()) { // the lease was granted after it had been given back: nobody holds it
            fleet.advance(CachePolicy.defaults().leaseTtl());
        }
        assertThat(next.result()).isEqualTo("two");
    }

    @Test
    void putDuringALoadIsNotOverwritten() throws Exception {
        Callers.Call<String> late = fleet.loading(0, "k");
        fleet.cache(1).put("k", "put");
        fleet.origin().open();
        late.result();

        assertThat(fleet.cache(0).get("k", fleet.origin()::read)).isEqualTo("put");
    }

    @Test
    void expireDuringAReloadOutdatesTheReload() {
        fleet.cache(0).put("k", "old");
        fleet.cache(0).expire("k");
        fleet.origin().close();
        assertThat(fleet.cache(0).get("k", fleet.origin()::read)).isEqualTo("old");
        until(() -> fleet.origin().running() == 1);

        fleet.origin().write("two");
        fleet.cache(1).expire("k");
        fleet.origin().open();
        until(() -> fleet.listener().count(EventType.LOAD_FENCED) == 1);

        until(() -> "two".equals(fleet.cache(1).get("k", fleet.origin()::read)));
    }

    @Test
    void lostAnswerOfAPublishSendsLateComersRoundAgain() throws Exception {
        fleet.store().loseAnswers(Call.PUBLISH);
        Callers.Call<String> leader = fleet.loading(0, "k");
        Callers.Call<String> later = fleet.get(0, "k");
        fleet.time().awaitWaiting(1);
        fleet.origin().open();

        assertThat(leader.result()).isEqualTo("one");
        assertThat(later.result()).as("read from the store").isEqualTo("one");
        assertThat(fleet.origin().reads()).isEqualTo(1);
        assertThat(fleet.listener().count(EventType.WAIT_RETRY)).isEqualTo(1);
    }

    @Test
    void valueWithoutALeaseAnswersNobodyAfterAnInvalidation() throws Exception {
        fleet.store().refuse(Call.READ);
        Callers.Call<String> blind = fleet.loading(0, "k");
        fleet.store().heal();
        fleet.origin().write("two");
        fleet.cache(1).invalidate("k");
        Callers.Call<String> later = fleet.get(0, "k");
        fleet.time().awaitWaiting(1);
        fleet.origin().open();

        assertThat(blind.result()).as("its caller came before").isEqualTo("one");
        assertThat(later.result()).isEqualTo("two");
    }
}
