package io.stampedeguard.internal.flight;

import io.stampedeguard.internal.flight.Flight.Membership;
import io.stampedeguard.testkit.ExploresSchedules;
import io.stampedeguard.testkit.Schedules;
import io.stampedeguard.testkit.StillTime;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/**
 * Explores the schedules of a leader and its followers, switch by switch, for one that breaks a promise. Plain
 * conditions instead of assertions, because Lincheck instruments this code.
 */
@ExploresSchedules
class SingleFlightLincheckTest {
    private static final String KEY = "key";

    @Test
    void oneOfThreeLeadsAndTheOthersFollowIt() {
        inEachSchedule(() -> {
            SingleFlight<String> flights = new SingleFlight<>(Runnable::run, () -> 0);
            Follower second = new Follower(flights, new AtomicBoolean());
            Follower third = new Follower(flights, new AtomicBoolean());
            second.start();
            third.start();
            Membership<String> first = flights.join(KEY);
            Membership<String> secondMembership = second.membership();
            Membership<String> thirdMembership = third.membership();
            return leaders(first, secondMembership, thirdMembership) == 1
                    && secondMembership.flight() == first.flight()
                    && thirdMembership.flight() == first.flight();
        });
    }

    @Test
    void whoJoinsAfterTheFlightHasLeftIsNotAnsweredByIt() {
        inEachSchedule(() -> {
            SingleFlight<String> flights = new SingleFlight<>(Runnable::run, () -> 0);
            Flight<String> flight = flights.join(KEY).flight();
            AtomicBoolean published = new AtomicBoolean();
            Follower follower = new Follower(flights, published);
            follower.start();
            flight.beginAttempt();
            flight.detach();
            published.set(true);
            flight.completeForAll("old");
            Membership<String> membership = follower.membership();
            return membership.leads() ? membership.result() == null : !follower.sawFlag && membership.result() != null;
        });
    }

    @Test
    void earlyResultAnswersNobodyWhoJoinsAfterTheRequest() {
        inEachSchedule(() -> {
            SingleFlight<String> flights = new SingleFlight<>(Runnable::run, () -> 0);
            Membership<String> leader = flights.join(KEY);
            AtomicBoolean asked = new AtomicBoolean();
            Follower follower = new Follower(flights, asked);
            follower.start();
            leader.flight().beginAttempt();
            asked.set(true);
            leader.flight().completeForEarly("answer");
            Membership<String> membership = follower.membership();
            return leader.result() != null && !(follower.sawFlag && membership.result() != null);
        });
    }

    @Test
    void completedFlightShowsTheWholeResult() {
        inEachSchedule(() -> {
            SingleFlight<String> flights = new SingleFlight<>(Runnable::run, () -> 0);
            Flight<String> flight = flights.join(KEY).flight();
            Membership<String> membership = flights.join(KEY);
            AtomicBoolean broken = new AtomicBoolean();
            Thread follower = new Thread(() -> broken.set(membership.isCompleted() && membership.result() == null));
            follower.start();
            flight.beginAttempt();
            flight.completeForEarly("answer");
            flight.completeEmpty();
            Schedules.join(follower);
            return !broken.get();
        });
    }

    @Test
    void followersThatBeginToWaitDuringTheCompletionAreWoken() {
        inEachSchedule(() -> {
            SingleFlight<String> flights = new SingleFlight<>(Runnable::run, () -> 0);
            Flight<String> flight = flights.join(KEY).flight();
            AtomicInteger woken = new AtomicInteger();
            Thread first = waiting(flights.join(KEY), woken);
            Thread second = waiting(flights.join(KEY), woken);
            first.start();
            second.start();
            flight.completeForAll("value");
            Schedules.join(first);
            Schedules.join(second);
            return woken.get() == 2;
        });
    }

    private static Thread waiting(Membership<String> membership, AtomicInteger woken) {
        return new Thread(() -> {
            try {
                if (membership.await(new Patience(), Long.MAX_VALUE) && membership.result() != null) {
                    woken.incrementAndGet();
                }
            } catch (InterruptedException e) {
                // it was not woken
            }
        });
    }

    /** A clock that never ends a wait. */
    private static final class Patience implements StillTime {
        @Override
        public boolean await(CountDownLatch latch, long nanos) throws InterruptedException {
            if (nanos > 0) {
                latch.await();
            }
            return true;
        }
    }

    @Test
    void whoJoinsAfterAFlightWasForgottenIsNotAnsweredByIt() {
        inEachSchedule(() -> {
            SingleFlight<String> flights = new SingleFlight<>(Runnable::run, () -> 0);
            Flight<String> flight = flights.join(KEY).flight();
            AtomicBoolean forgotten = new AtomicBoolean();
            Thread leader = new Thread(() -> {
                flight.beginAttempt();
                flight.detach();
                flight.completeForAll("old");
            });
            Follower follower = new Follower(flights, forgotten);
            leader.start();
            follower.start();
            flights.forget(KEY);
            forgotten.set(true);
            Schedules.join(leader);
            Membership<String> membership = follower.membership();
            return !(follower.sawFlag && membership.flight() == flight);
        });
    }

    @Test
    void completionOfAForgottenFlightLeavesTheNextOneOnTheMap() {
        inEachSchedule(() -> {
            SingleFlight<String> flights = new SingleFlight<>(Runnable::run, () -> 0);
            Flight<String> flight = flights.join(KEY).flight();
            Thread leader = new Thread(() -> flight.completeForAll("old"));
            leader.start();
            flights.forget(KEY);
            Membership<String> next = flights.join(KEY);
            Schedules.join(leader);
            return next.leads() && flights.join(KEY).flight() == next.flight();
        });
    }

    @Test
    void whoWaitsWithoutAThreadSeesTheResultExactlyOnce() {
        inEachSchedule(() -> {
            SingleFlight<String> flights = new SingleFlight<>(Runnable::run, () -> 0);
            Flight<String> flight = flights.join(KEY).flight();
            Sleeper second = new Sleeper(flights.join(KEY));
            Sleeper third = new Sleeper(flights.join(KEY));
            second.start();
            third.start();
            flight.completeForAll("value");
            flight.completeEmpty();
            return second.wasWokenOnce() && third.wasWokenOnce();
        });
    }

    @Test
    void ofTwoWhoLandAFlightOneTellsThoseWhoWait() {
        inEachSchedule(() -> {
            SingleFlight<String> flights = new SingleFlight<>(Runnable::run, () -> 0);
            Flight<String> flight = flights.join(KEY).flight();
            Sleeper sleeper = new Sleeper(flights.join(KEY));
            Thread timer = new Thread(() -> flight.completeForAll("timed out"));
            timer.start();
            sleeper.start();
            flight.completeForAll("value");
            Schedules.join(timer);
            return sleeper.wasWokenOnce();
        });
    }

    /** Returns how many schedules are explored for each test. */
    int schedules() {
        return 100;
    }

    private void inEachSchedule(BooleanSupplier promise) {
        Schedules.explore(schedules(), promise);
    }

    private static int leaders(Membership<?>... memberships) {
        int leaders = 0;
        for (Membership<?> membership : memberships) {
            leaders += membership.leads() ? 1 : 0;
        }
        return leaders;
    }

    /** A thread that looks at a flag and then joins. */
    private static final class Follower extends Thread {
        private final SingleFlight<String> flights;
        private final AtomicBoolean flag;
        private boolean sawFlag;
        private Membership<String> membership;

        Follower(SingleFlight<String> flights, AtomicBoolean flag) {
            this.flights = flights;
            this.flag = flag;
        }

        @Override
        public void run() {
            sawFlag = flag.get();
            membership = flights.join(KEY);
        }

        /** Waits for the thread and returns its membership. */
        Membership<String> membership() {
            Schedules.join(this);
            return membership;
        }
    }

    /** A thread that asks to be notified of the completion, and ends. */
    private static final class Sleeper extends Thread {
        private final AtomicInteger woken = new AtomicInteger();
        private final AtomicInteger withResult = new AtomicInteger();
        private final Membership<String> membership;

        Sleeper(Membership<String> membership) {
            this.membership = membership;
        }

        @Override
        public void run() {
            if (!membership.whenCompleted(this::wake)) {
                wake();
            }
        }

        private void wake() {
            woken.incrementAndGet();
            withResult.addAndGet(membership.result() == null ? 0 : 1);
        }

        boolean wasWokenOnce() {
            Schedules.join(this);
            return woken.get() == 1 && withResult.get() == 1;
        }
    }
}
