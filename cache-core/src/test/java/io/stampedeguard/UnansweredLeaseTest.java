package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.EventType;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.AsyncOrigin;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An unanswered request is no reason for a second load, in any form of {@code get}. */
final class UnansweredLeaseTest {
    private static final CachePolicy POLICY = CachePolicy.builder()
            .leaseTtl(ofSeconds(2))
            .waitTimeout(ofSeconds(10))
            .build();

    @AutoClose
    private final Fleet fleet = new Fleet(2, POLICY);

    static Stream<Named<Function<Fleet, Callers.Call<String>>>> waysToAsk() {
        return Stream.of(
                Named.of("get", fleet -> fleet.get(1, "k")),
                Named.of(
                        "getAsync",
                        fleet -> fleet.callers()
                                .call(() -> fleet.cache(1)
                                        .getAsync("k", new AsyncOrigin(fleet.origin())::read)
                                        .get())),
                Named.of(
                        "getAll",
                        fleet -> fleet.callers()
                                .call(() -> fleet.cache(1)
                                        .getAll(
                                                List.of("k"),
                                                keys -> java.util.Map.of(
                                                        "k", fleet.origin().read("k")))
                                        .get("k"))));
    }

    @ParameterizedTest
    @MethodSource("waysToAsk")
    void oneLostAnswerIsAskedForAgain(Function<Fleet, Callers.Call<String>> ask) throws Exception {
        Callers.Call<String> leader = leads();
        fleet.store().loseAnswers(Call.LEASE, Call.LEASE_ALL).after(Call.LEASE, fleet.store()::heal);

        Callers.Call<String> other = ask.apply(fleet);
        until(() -> fleet.listener().count(EventType.LEASE_HELD) > 0);
        fleet.origin().open();

        assertThat(other.result()).isEqualTo("one");
        assertThat(leader.result()).isEqualTo("one");
        assertThat(fleet.origin().reads()).isEqualTo(1);
        assertThat(fleet.listener().count(EventType.LEASE_UNAVAILABLE)).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("waysToAsk")
    void heldLeaseCountsAsHeldWhileItMayBeAliveThoughTheStoreIsSilent(Function<Fleet, Callers.Call<String>> ask)
            throws Exception {
        Callers.Call<String> leader = leads();
        Callers.Call<String> waiter = ask.apply(fleet);
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
    @MethodSource("waysToAsk")
    void whenTheLeaseCanNoLongerBeAliveTheRulesOfAStoreThatIsDownApply(Function<Fleet, Callers.Call<String>> ask)
            throws Exception {
        leads();
        Callers.Call<String> waiter = ask.apply(fleet);
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
        leads();
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

    private Callers.Call<String> leads() {
        fleet.origin().close();
        Callers.Call<String> leader = fleet.get(0, "k");
        until(() -> fleet.origin().running() == 1);
        return leader;
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
