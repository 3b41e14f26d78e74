package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.EventType;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ScriptedStore.Call;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An unanswered request is no reason for a second load, in any form of {@code get}. */
final class UnansweredLeaseTest {
    private static final CachePolicy POLICY = CachePolicy.builder()
            .leaseTtl(ofSeconds(2))
            .waitTimeout(ofSeconds(10))
            .build();

    @AutoClose
    private final Fleet fleet = new Fleet(2, POLICY);

    @ParameterizedTest
    @EnumSource(names = {"GET", "GET_ASYNC", "GET_ALL_OF_ONE"})
    void oneLostAnswerIsAskedForAgain(FormOfGet form) throws Exception {
        Callers.Call<String> leader = fleet.loading(0, "k");
        fleet.store().loseAnswers(Call.LEASE, Call.LEASE_ALL).after(Call.LEASE, fleet.store()::heal);

        Callers.Call<String> other = form.askOf(fleet, 1);
        until(() -> fleet.listener().count(EventType.LEASE_HELD) > 0);
        fleet.origin().open();

        assertThat(other.result()).isEqualTo("one");
        assertThat(leader.result()).isEqualTo("one");
        assertThat(fleet.origin().reads()).isEqualTo(1);
        assertThat(fleet.listener().count(EventType.LEASE_UNAVAILABLE)).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"GET", "GET_ASYNC", "GET_ALL_OF_ONE"})
    void leaseRemainsHeldDuringSilenceWhileItMayBeAlive(FormOfGet form) throws Exception {
        Callers.Call<String> leader = fleet.loading(0, "k");
        Callers.Call<String> waiter = form.askOf(fleet, 1);
        until(() -> fleet.listener().count(EventType.LEASE_HELD) > 0);
        silenceForALongWhile();
        assertThat(fleet.listener().count(EventType.LEASE_UNAVAILABLE)).isGreaterThanOrEqualTo(2);
        assertThat(fleet.origin().reads())
                .as("loads while the lease may be alive")
                .isEqualTo(1);

        fleet.store().heal();
        fleet.origin().open();

        assertThat(leader.result()).isEqualTo("one");
        assertThat(waiter.result()).isEqualTo("one");
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"GET", "GET_ASYNC", "GET_ALL_OF_ONE"})
    void waiterLoadsWhenTheLeaseCanNoLongerBeAlive(FormOfGet form) throws Exception {
        fleet.loading(0, "k");
        Callers.Call<String> waiter = form.askOf(fleet, 1);
        until(() -> fleet.listener().count(EventType.LEASE_HELD) > 0);
        silenceForALongWhile();
        fleet.time().awaitWaiting(1);

        fleet.advance(ofMillis(600));

        until(() -> fleet.origin().reads() == 2);
        fleet.origin().open();
        assertThat(waiter.result()).isEqualTo("one");
    }

    @Test
    void callersWhoComeMeanwhileKnowOfTheLeaseAsWell() throws Exception {
        fleet.loading(0, "k");
        Callers.Call<String> waiter = fleet.get(1, "k");
        until(() -> fleet.listener().count(EventType.LEASE_HELD) > 0);
        fleet.time().awaitWaiting(1);
        fleet.store().refuse(Call.READ, Call.LEASE, Call.LEASE_ALL);

        Callers.Call<String> other = fleet.get(1, "k");
        fleet.time().awaitWaiting(2);
        assertThat(fleet.origin().reads()).isEqualTo(1);

        fleet.store().heal();
        fleet.origin().open();
        fleet.advance(ofMillis(250));
        assertThat(waiter.result()).isEqualTo("one");
        assertThat(other.result()).isEqualTo("one");
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @Test
    void answerOfAPublicationThatWasLostIsAskedForAgain() {
        fleet.store().loseAnswers(Call.PUBLISH).after(Call.PUBLISH, fleet.store()::heal);

        assertThat(fleet.cache(0).get("k", fleet.origin()::read)).isEqualTo("one");

        assertThat(fleet.cache(1).get("k", fleet.origin()::read)).isEqualTo("one");
        assertThat(fleet.origin().reads()).isEqualTo(1);
        assertThat(fleet.store().count(Call.PUBLISH)).isEqualTo(2);
        assertThat(fleet.store().count(Call.ABANDON)).isZero();
    }

    /** Polls several times without success, for less than the life of a lease. */
    private void silenceForALongWhile() throws InterruptedException {
        fleet.time().awaitWaiting(1);
        fleet.store()
                .refuse(Call.READ, Call.READ_ALL, Call.LEASE, Call.LEASE_ALL)
                .loseNotices();
        for (int poll = 0; poll < 6; poll++) {
            fleet.time().awaitWaiting(1);
            fleet.advance(ofMillis(250));
        }
        fleet.time().awaitWaiting(1);
    }
}
