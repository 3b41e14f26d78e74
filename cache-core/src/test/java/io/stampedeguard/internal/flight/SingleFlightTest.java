package io.stampedeguard.internal.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.internal.flight.Flight.Membership;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Leaders and followers, and the callers for which a flight's result is valid. */
final class SingleFlightTest {
    private static final String KEY = "products:42";

    private final SingleFlight<String> flights = new SingleFlight<>(Runnable::run, () -> 0);

    @Test
    void keysFlyApart() {
        Membership<String> one = flights.join(KEY);
        Membership<String> other = flights.join("products:43");

        assertThat(other.leads()).isTrue();
        one.flight().completeForAll("one");
        assertThat(other.isCompleted()).isFalse();
        assertThat(flights.join("products:43").flight()).isSameAs(other.flight());
    }

    @Test
    void followersAreReleasedWhenTheFlightCompletesAndNotBefore() {
        Flight<String> flight = flights.join(KEY).flight();
        Membership<String> follower = flights.join(KEY);
        flight.beginAttempt();
        flight.detach();

        assertThat(follower.isCompleted()).isFalse();
        assertThat(follower.result()).isNull();

        flight.completeForAll("value");
        assertThat(follower.isCompleted()).isTrue();
        assertThat(follower.result()).isEqualTo("value");
    }

    @Test
    void resultForAllAnswersThoseWhoJoinedDuringTheAttempt() {
        Membership<String> leader = flights.join(KEY);
        Membership<String> early = flights.join(KEY);
        leader.flight().beginAttempt();
        Membership<String> late = flights.join(KEY);

        leader.flight().completeForAll("value");

        assertThat(leader.result()).isEqualTo("value");
        assertThat(early.result()).isEqualTo("value");
        assertThat(late.result()).isEqualTo("value");
    }

    @Test
    void secondAttemptServesThoseWhoJoinedDuringTheFirst() {
        Flight<String> flight = flights.join(KEY).flight();
        flight.beginAttempt();
        Membership<String> duringFirst = flights.join(KEY);
        flight.beginAttempt();
        Membership<String> duringSecond = flights.join(KEY);

        flight.completeForEarly("value");

        assertThat(duringFirst.result()).isEqualTo("value");
        assertThat(duringSecond.result()).isNull();
    }

    @Test
    void leavingTwiceDoesNotTakeTheNextFlightOffTheMap() {
        Flight<String> flight = flights.join(KEY).flight();
        flight.detach();
        Membership<String> next = flights.join(KEY);

        flight.detach();
        flight.completeForAll("old");

        assertThat(flights.join(KEY).flight()).isSameAs(next.flight());
    }

    @Test
    void eachWayOfLandingTakesTheFlightOffTheMap() {
        flights.join(KEY).flight().completeForAll("value");
        assertThat(flights.join(KEY).leads()).isTrue();
        flights.join(KEY).flight().completeForEarly("value");
        assertThat(flights.join(KEY).leads()).isTrue();
        flights.join(KEY).flight().completeEmpty();
        assertThat(flights.join(KEY).leads()).isTrue();
    }

    @Test
    void emptyLandingSendsEverybodyRound() {
        Membership<String> leader = flights.join(KEY);
        Membership<String> follower = flights.join(KEY);
        leader.flight().beginAttempt();

        leader.flight().completeEmpty();

        assertThat(follower.isCompleted()).isTrue();
        assertThat(follower.result()).isNull();
        assertThat(leader.result()).isNull();
    }

    @Test
    void emptyLandingAfterALandingChangesNothing() {
        Membership<String> leader = flights.join(KEY);
        Membership<String> early = flights.join(KEY);
        leader.flight().beginAttempt();
        Membership<String> late = flights.join(KEY);
        leader.flight().completeForEarly("value");

        leader.flight().completeEmpty();

        assertThat(early.result()).isEqualTo("value");
        assertThat(late.result()).isNull();
    }

    @Test
    void emptyLandingAfterALandingLeavesTheNextFlightAlone() {
        Flight<String> flight = flights.join(KEY).flight();
        flight.completeForAll("value");
        Membership<String> next = flights.join(KEY);

        flight.completeEmpty();

        assertThat(flights.join(KEY).flight()).isSameAs(next.flight());
    }

    @Test
    void forgottenFlightKeepsItsFollowersAndTakesNoMore() {
        Membership<String> leader = flights.join(KEY);
        Membership<String> follower = flights.join(KEY);

        flights.forget(KEY);
        Membership<String> next = flights.join(KEY);
        leader.flight().beginAttempt();
        leader.flight().completeForAll("old");

        assertThat(follower.result()).isEqualTo("old");
        assertThat(next.leads()).isTrue();
        assertThat(next.result()).isNull();
        assertThat(flights.join(KEY).flight()).as("still on the map").isSameAs(next.flight());
    }

    @Test
    void whoWaitsWithoutAThreadIsToldInTheOrderOfComing() {
        List<Integer> told = new ArrayList<>();
        Membership<String> leader = flights.join(KEY);
        for (int i = 0; i < 200; i++) {
            int number = i;
            assertThat(flights.join(KEY).whenCompleted(() -> told.add(number))).isTrue();
        }
        assertThat(told).isEmpty();

        leader.flight().completeForAll("value");

        assertThat(told)
                .containsExactlyElementsOf(IntStream.range(0, 200).boxed().toList());
        assertThat(flights.join("other").whenCompleted(() -> {})).isTrue();
    }

    @Test
    void whoComesAfterTheCompletionIsToldSoAtOnce() {
        Membership<String> leader = flights.join(KEY);
        Membership<String> follower = flights.join(KEY);
        leader.flight().completeForAll("value");

        assertThat(follower.whenCompleted(() -> {
                    throw new AssertionError("run after all");
                }))
                .isFalse();
        assertThat(follower.result()).isEqualTo("value");
    }

    @Test
    void completionHandsOverOneTaskHoweverManyWait() {
        List<Runnable> handedOver = new ArrayList<>();
        SingleFlight<String> elsewhere = new SingleFlight<>(handedOver::add, () -> 0);
        AtomicInteger told = new AtomicInteger();
        Membership<String> leader = elsewhere.join(KEY);
        for (int i = 0; i < 1_000; i++) {
            elsewhere.join(KEY).whenCompleted(told::incrementAndGet);
        }

        leader.flight().completeForAll("value");
        assertThat(handedOver).hasSize(1);
        assertThat(told).hasValue(0);

        for (int i = 0; i < handedOver.size(); i++) {
            handedOver.get(i).run();
        }
        assertThat(told).hasValue(1_000);
        assertThat(handedOver).as("64 on a thread").hasSize(16);
    }

    @Test
    void flightsCompleteDespiteAnErrorAtTheEndOfOne() {
        OutOfMemoryError error = new OutOfMemoryError("thrown by the test");
        SingleFlight<String> full = new SingleFlight<>(
                task -> {
                    throw error;
                },
                () -> 0);

        assertThatThrownBy(() -> full.joinAll(List.of("a", "b", "c"), key -> key, memberships -> {
                    full.join("a").whenCompleted(() -> {});
                    full.join("b").whenCompleted(() -> {});
                    return memberships;
                }))
                .isSameAs(error);

        assertThat(full.follow("a")).isNull();
        assertThat(full.follow("b")).isNull();
        assertThat(full.follow("c")).isNull();
    }

    @ParameterizedTest
    @ValueSource(classes = {StackOverflowError.class, OutOfMemoryError.class, IllegalStateException.class})
    void whatTheLeaderThrowsEndsItsFlightsAndIsThrown(Class<? extends Throwable> type) throws Exception {
        Throwable thrown = type.getConstructor(String.class).newInstance("thrown by the test");
        List<Membership<String>> followers = new ArrayList<>();

        assertThatThrownBy(() -> flights.joinAll(List.of("a", "b"), key -> key, memberships -> {
                    followers.add(flights.join("a"));
                    followers.add(flights.join("b"));
                    if (thrown instanceof Error error) {
                        throw error;
                    }
                    throw (RuntimeException) thrown;
                }))
                .isSameAs(thrown);

        assertThat(followers).hasSize(2).allSatisfy(follower -> {
            assertThat(follower.leads()).isFalse();
            assertThat(follower.isCompleted()).isTrue();
            assertThat(follower.result()).isNull();
        });
        assertThat(flights.join("a").leads()).isTrue();
    }

    @Test
    void failureToJoinOneFlightEndsThoseThatWereJoinedBefore() {
        StackOverflowError error = new StackOverflowError("thrown by the test");

        assertThatThrownBy(() -> flights.joinAll(
                        List.of("a", "b"),
                        key -> {
                            if (key.equals("b")) {
                                assertThat(flights.follow("a")).isNotNull();
                                throw error;
                            }
                            return key;
                        },
                        memberships -> memberships))
                .isSameAs(error);

        assertThat(flights.follow("a")).isNull();
    }

    @Test
    void nextCallerCompletesAFlightLeftIncompleteByItsLeader() {
        Membership<String> leader = flights.join(KEY);
        Membership<String> follower = flights.join(KEY);
        leader.flight().isLeft = true; // as by a leader without room on the stack for more
        assertThat(flights.follow(KEY)).as("nobody waits for it any more").isNull();

        Membership<String> next = flights.join(KEY);

        assertThat(follower.isCompleted()).isTrue();
        assertThat(follower.result()).isNull();
        assertThat(next.leads()).isTrue();
        assertThat(next.flight()).isNotSameAs(leader.flight());
        assertThat(flights.join(KEY).flight()).isSameAs(next.flight());
    }

    @Test
    void followingBeginsNoFlight() {
        assertThat(flights.follow(KEY)).isNull();
        Membership<String> leader = flights.join(KEY);
        leader.flight().beginAttempt();
        Membership<String> late = flights.follow(KEY);

        assertThat(late).isNotNull();
        assertThat(late.leads()).isFalse();
        assertThat(leader.flight().hasLatecomers()).isTrue();
        leader.flight().completeForEarly("value");
        assertThat(late.result()).isNull();
        assertThat(flights.follow(KEY)).isNull();
    }
}
