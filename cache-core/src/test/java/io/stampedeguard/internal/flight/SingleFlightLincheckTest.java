package io.stampedeguard.internal.flight;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jetbrains.lincheck.Lincheck;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Explores the schedules of a leader and its passengers, switch by switch, for one that breaks a promise. Plain
 * conditions instead of assertions: what runs in here is taken apart by Lincheck.
 */
@Isolated("Lincheck instruments the classes of the whole JVM")
class SingleFlightLincheckTest {
    private static final String KEY = "key";

    @Test
    void oneOfThreeLeadsAndTheOthersFollowIt() {
        inEachSchedule(() -> {
            SingleFlight<String> flights = new SingleFlight<>(Runnable::run, () -> 0);
            Passenger second = new Passenger(flights, new AtomicBoolean());
            Passenger third = new Passenger(flights, new AtomicBoolean());
            second.start();
            third.start();
            Seat<String> first = flights.join(KEY);
            Seat<String> secondSeat = second.seat();
            Seat<String> thirdSeat = third.seat();
            return leaders(first, secondSeat, thirdSeat) == 1
                    && secondSeat.flight() == first.flight()
                    && thirdSeat.flight() == first.flight();
        });
    }

    @Test
    void whoJoinsAfterTheFlightHasLeftIsNotAnsweredByIt() {
        inEachSchedule(() -> {
            SingleFlight<String> flights = new SingleFlight<>(Runnable::run, () -> 0);
            Flight<String> flight = flights.join(KEY).flight();
            AtomicBoolean published = new AtomicBoolean();
            Passenger passenger = new Passenger(flights, published);
            passenger.start();
            flight.beginAttempt();
            flight.leave();
            published.set(true);
            flight.landForAll("old");
            Seat<String> seat = passenger.seat();
            return seat.leads() ? seat.result() == null : !passenger.sawFlag && seat.result() != null;
        });
    }

    @Test
    void whoJoinsAfterTheQuestionWasAskedIsNotAnsweredByAnEarlyResult() {
        inEachSchedule(() -> {
            SingleFlight<String> flights = new SingleFlight<>(Runnable::run, () -> 0);
            Seat<String> leader = flights.join(KEY);
            AtomicBoolean asked = new AtomicBoolean();
            Passenger passenger = new Passenger(flights, asked);
            passenger.start();
            leader.flight().beginAttempt();
            asked.set(true);
            leader.flight().landForEarly("answer");
            Seat<String> seat = passenger.seat();
            return leader.result() != null && !(passenger.sawFlag && seat.result() != null);
        });
    }

    @Test
    void openLatchShowsTheWholeResult() {
        inEachSchedule(() -> {
            SingleFlight<String> flights = new SingleFlight<>(Runnable::run, () -> 0);
            Flight<String> flight = flights.join(KEY).flight();
            Seat<String> seat = flights.join(KEY);
            AtomicBoolean broken = new AtomicBoolean();
            Thread passenger = new Thread(() -> broken.set(seat.landed().getCount() == 0 && seat.result() == null));
            passenger.start();
            flight.beginAttempt();
            flight.landForEarly("answer");
            flight.landEmpty();
            join(passenger);
            return !broken.get();
        });
    }

    @Test
    void whoJoinsAfterAFlightWasForgottenIsNotAnsweredByIt() {
        inEachSchedule(() -> {
            SingleFlight<String> flights = new SingleFlight<>(Runnable::run, () -> 0);
            Flight<String> flight = flights.join(KEY).flight();
            AtomicBoolean forgotten = new AtomicBoolean();
            Thread leader = new Thread(() -> {
                flight.beginAttempt();
                flight.leave();
                flight.landForAll("old");
            });
            Passenger passenger = new Passenger(flights, forgotten);
            leader.start();
            passenger.start();
            flights.forget(KEY);
            forgotten.set(true);
            join(leader);
            Seat<String> seat = passenger.seat();
            return !(passenger.sawFlag && seat.flight() == flight);
        });
    }

    @Test
    void landingOfAForgottenFlightLeavesTheNextOneOnTheMap() {
        inEachSchedule(() -> {
            SingleFlight<String> flights = new SingleFlight<>(Runnable::run, () -> 0);
            Flight<String> flight = flights.join(KEY).flight();
            Thread leader = new Thread(() -> flight.landForAll("old"));
            leader.start();
            flights.forget(KEY);
            Seat<String> next = flights.join(KEY);
            join(leader);
            return next.leads() && flights.join(KEY).flight() == next.flight();
        });
    }

    @Test
    void whoWaitsWithoutAThreadIsToldOnceAndSeesTheResultOrIsToldThatTheFlightHasLanded() {
        inEachSchedule(() -> {
            SingleFlight<String> flights = new SingleFlight<>(Runnable::run, () -> 0);
            Flight<String> flight = flights.join(KEY).flight();
            Sleeper second = new Sleeper(flights.join(KEY));
            Sleeper third = new Sleeper(flights.join(KEY));
            second.start();
            third.start();
            flight.landForAll("value");
            flight.landEmpty();
            return second.wasWokenOnce() && third.wasWokenOnce();
        });
    }

    @Test
    void ofTwoWhoLandAFlightOneTellsThoseWhoWait() {
        inEachSchedule(() -> {
            SingleFlight<String> flights = new SingleFlight<>(Runnable::run, () -> 0);
            Flight<String> flight = flights.join(KEY).flight();
            Sleeper sleeper = new Sleeper(flights.join(KEY));
            Thread timer = new Thread(() -> flight.landForAll("timed out"));
            timer.start();
            sleeper.start();
            flight.landForAll("value");
            join(timer);
            return sleeper.wasWokenOnce();
        });
    }

    /** Returns how many schedules are explored for each test. */
    int schedules() {
        return 100;
    }

    private void inEachSchedule(BooleanSupplier promise) {
        Lincheck.runConcurrentTest(schedules(), () -> {
            if (!promise.getAsBoolean()) {
                throw new AssertionError("the promise does not hold in this schedule");
            }
        });
    }

    private static int leaders(Seat<?>... seats) {
        int leaders = 0;
        for (Seat<?> seat : seats) {
            leaders += seat.leads() ? 1 : 0;
        }
        return leaders;
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** A thread that looks at a flag and then joins. */
    private static final class Passenger extends Thread {
        private final SingleFlight<String> flights;
        private final AtomicBoolean flag;
        private boolean sawFlag;
        private Seat<String> seat;

        Passenger(SingleFlight<String> flights, AtomicBoolean flag) {
            this.flights = flights;
            this.flag = flag;
        }

        @Override
        public void run() {
            sawFlag = flag.get();
            seat = flights.join(KEY);
        }

        /** Waits for the thread and tells the seat it took. */
        Seat<String> seat() {
            SingleFlightLincheckTest.join(this);
            return seat;
        }
    }

    /** A thread that asks to be told of the landing, and ends. */
    private static final class Sleeper extends Thread {
        private final AtomicInteger woken = new AtomicInteger();
        private final AtomicInteger withResult = new AtomicInteger();
        private final Seat<String> seat;

        Sleeper(Seat<String> seat) {
            this.seat = seat;
        }

        @Override
        public void run() {
            if (!seat.whenLanded(this::wake)) {
                wake();
            }
        }

        private void wake() {
            woken.incrementAndGet();
            withResult.addAndGet(seat.result() == null ? 0 : 1);
        }

        boolean wasWokenOnce() {
            SingleFlightLincheckTest.join(this);
            return woken.get() == 1 && withResult.get() == 1;
        }
    }
}
