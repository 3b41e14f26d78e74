package io.stampedeguard.internal.flight;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Who leads, who follows, and for whom a flight's result holds. */
final class SingleFlightTest {
    private static final String KEY = "products:42";

    private final SingleFlight<String> flights = new SingleFlight<>(Runnable::run, () -> 0);

    @Test
    void firstLeadsAndTheOthersFollowTheSameFlight() {
        Seat<String> leader = flights.join(KEY);
        Seat<String> second = flights.join(KEY);
        Seat<String> third = flights.join(KEY);

        assertThat(leader.leads()).isTrue();
        assertThat(second.leads()).isFalse();
        assertThat(third.leads()).isFalse();
        assertThat(second.flight()).isSameAs(leader.flight());
        assertThat(third.flight()).isSameAs(leader.flight());
    }

    @Test
    void keysFlyApart() {
        Seat<String> one = flights.join(KEY);
        Seat<String> other = flights.join("products:43");

        assertThat(other.leads()).isTrue();
        one.flight().landForAll("one");
        assertThat(other.landed().getCount()).isOne();
        assertThat(flights.join("products:43").flight()).isSameAs(other.flight());
    }

    @Test
    void seatsOpenWhenTheFlightLandsAndNotBefore() {
        Flight<String> flight = flights.join(KEY).flight();
        Seat<String> passenger = flights.join(KEY);
        flight.beginAttempt();
        flight.leave();

        assertThat(passenger.landed().getCount()).isOne();
        assertThat(passenger.result()).isNull();

        flight.landForAll("value");
        assertThat(passenger.landed().getCount()).isZero();
        assertThat(passenger.result()).isEqualTo("value");
    }

    @Test
    void resultForAllHoldsAlsoForThoseWhoJoinedAfterTheAttemptBegan() {
        Seat<String> leader = flights.join(KEY);
        Seat<String> early = flights.join(KEY);
        leader.flight().beginAttempt();
        Seat<String> late = flights.join(KEY);

        leader.flight().landForAll("value");

        assertThat(leader.result()).isEqualTo("value");
        assertThat(early.result()).isEqualTo("value");
        assertThat(late.result()).isEqualTo("value");
    }

    @Test
    void resultForEarlyHoldsOnlyForThoseWhoJoinedBeforeTheAttemptBegan() {
        Seat<String> leader = flights.join(KEY);
        Seat<String> early = flights.join(KEY);
        leader.flight().beginAttempt();
        Seat<String> late = flights.join(KEY);

        leader.flight().landForEarly("value");

        assertThat(leader.result()).isEqualTo("value");
        assertThat(early.result()).isEqualTo("value");
        assertThat(late.result()).isNull();
        assertThat(late.landed().getCount()).isZero();
    }

    @Test
    void secondAttemptTakesThoseWhoCameDuringTheFirstOnBoard() {
        Flight<String> flight = flights.join(KEY).flight();
        flight.beginAttempt();
        Seat<String> duringFirst = flights.join(KEY);
        flight.beginAttempt();
        Seat<String> duringSecond = flights.join(KEY);

        flight.landForEarly("value");

        assertThat(duringFirst.result()).isEqualTo("value");
        assertThat(duringSecond.result()).isNull();
    }

    @Test
    void whoComesAfterTheFlightHasLeftLeadsAnother() {
        Flight<String> flight = flights.join(KEY).flight();
        flight.leave();
        Seat<String> next = flights.join(KEY);

        flight.landForAll("old");

        assertThat(next.leads()).isTrue();
        assertThat(next.flight()).isNotSameAs(flight);
        assertThat(next.landed().getCount()).isOne();
        assertThat(next.result()).isNull();
    }

    @Test
    void leavingTwiceDoesNotTakeTheNextFlightOffTheMap() {
        Flight<String> flight = flights.join(KEY).flight();
        flight.leave();
        Seat<String> next = flights.join(KEY);

        flight.leave();
        flight.landForAll("old");

        assertThat(flights.join(KEY).flight()).isSameAs(next.flight());
    }

    @Test
    void eachWayOfLandingTakesTheFlightOffTheMap() {
        flights.join(KEY).flight().landForAll("value");
        assertThat(flights.join(KEY).leads()).isTrue();
        flights.join(KEY).flight().landForEarly("value");
        assertThat(flights.join(KEY).leads()).isTrue();
        flights.join(KEY).flight().landEmpty();
        assertThat(flights.join(KEY).leads()).isTrue();
    }

    @Test
    void emptyLandingSendsEverybodyRound() {
        Seat<String> leader = flights.join(KEY);
        Seat<String> passenger = flights.join(KEY);
        leader.flight().beginAttempt();

        leader.flight().landEmpty();

        assertThat(passenger.landed().getCount()).isZero();
        assertThat(passenger.result()).isNull();
        assertThat(leader.result()).isNull();
    }

    @Test
    void emptyLandingAfterALandingChangesNothing() {
        Seat<String> leader = flights.join(KEY);
        Seat<String> early = flights.join(KEY);
        leader.flight().beginAttempt();
        Seat<String> late = flights.join(KEY);
        leader.flight().landForEarly("value");

        leader.flight().landEmpty();

        assertThat(early.result()).isEqualTo("value");
        assertThat(late.result()).isNull();
    }

    @Test
    void emptyLandingAfterALandingLeavesTheNextFlightAlone() {
        Flight<String> flight = flights.join(KEY).flight();
        flight.landForAll("value");
        Seat<String> next = flights.join(KEY);

        flight.landEmpty();

        assertThat(flights.join(KEY).flight()).isSameAs(next.flight());
    }

    @Test
    void forgottenFlightKeepsItsPassengersAndTakesNoMore() {
        Seat<String> leader = flights.join(KEY);
        Seat<String> passenger = flights.join(KEY);

        flights.forget(KEY);
        Seat<String> next = flights.join(KEY);
        leader.flight().beginAttempt();
        leader.flight().landForAll("old");

        assertThat(passenger.result()).isEqualTo("old");
        assertThat(next.leads()).isTrue();
        assertThat(next.result()).isNull();
        assertThat(flights.join(KEY).flight()).as("still on the map").isSameAs(next.flight());
    }

    @Test
    void forgettingWhatNobodyLoadsDoesNothing() {
        flights.forget(KEY);

        assertThat(flights.join(KEY).leads()).isTrue();
    }

    @Test
    void whoWaitsWithoutAThreadIsToldInTheOrderOfComing() {
        List<Integer> told = new ArrayList<>();
        Seat<String> leader = flights.join(KEY);
        for (int i = 0; i < 200; i++) {
            int number = i;
            assertThat(flights.join(KEY).whenLanded(() -> told.add(number))).isTrue();
        }
        assertThat(told).isEmpty();

        leader.flight().landForAll("value");

        assertThat(told)
                .containsExactlyElementsOf(IntStream.range(0, 200).boxed().toList());
        assertThat(flights.join("other").whenLanded(() -> {})).isTrue();
    }

    @Test
    void whoComesAfterTheLandingIsToldSoAtOnce() {
        Seat<String> leader = flights.join(KEY);
        Seat<String> passenger = flights.join(KEY);
        leader.flight().landForAll("value");

        assertThat(passenger.whenLanded(() -> {
                    throw new AssertionError("run after all");
                }))
                .isFalse();
        assertThat(passenger.result()).isEqualTo("value");
    }

    @Test
    void whoLandsHandsOverOneTaskHoweverManyWait() {
        List<Runnable> handedOver = new ArrayList<>();
        SingleFlight<String> elsewhere = new SingleFlight<>(handedOver::add, () -> 0);
        AtomicInteger told = new AtomicInteger();
        Seat<String> leader = elsewhere.join(KEY);
        for (int i = 0; i < 1_000; i++) {
            elsewhere.join(KEY).whenLanded(told::incrementAndGet);
        }

        leader.flight().landForAll("value");
        assertThat(handedOver).hasSize(1);
        assertThat(told).hasValue(0);

        for (int i = 0; i < handedOver.size(); i++) {
            handedOver.get(i).run();
        }
        assertThat(told).hasValue(1_000);
        assertThat(handedOver).as("64 on a thread").hasSize(16);
    }

    @Test
    void followingBeginsNoFlight() {
        assertThat(flights.follow(KEY)).isNull();
        Seat<String> leader = flights.join(KEY);
        leader.flight().beginAttempt();
        Seat<String> late = flights.follow(KEY);

        assertThat(late).isNotNull();
        assertThat(late.leads()).isFalse();
        assertThat(leader.flight().hasLatecomers()).isTrue();
        leader.flight().landForEarly("value");
        assertThat(late.result()).isNull();
        assertThat(flights.follow(KEY)).isNull();
    }
}
