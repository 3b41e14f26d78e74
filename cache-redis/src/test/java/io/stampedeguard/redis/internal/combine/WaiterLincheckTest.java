package io.stampedeguard.redis.internal.combine;

import io.stampedeguard.redis.internal.combine.Waiter.State;
import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.testkit.ExploresSchedules;
import io.stampedeguard.testkit.Schedules;
import io.stampedeguard.testkit.StillTime;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/**
 * Explores the schedules of a batch's members and their sender, switch by switch, for one in which a wake-up is lost: then a thread
 * waits forever, which Lincheck reports. Plain conditions instead of assertions, because Lincheck instruments this code.
 */
@ExploresSchedules
class WaiterLincheckTest {
    private static final TimeSource PATIENT = new Patience(false, false);

    /** Ends each wait with an interrupt at once. */
    private static final TimeSource INTERRUPTED = new Patience(true, true);

    /** Ends each wait with an interrupt when the waiter is woken. */
    private static final TimeSource INTERRUPTED_WHEN_WOKEN = new Patience(false, true);

    @Test
    void eachMemberIsWoken() {
        inEachSchedule(() -> areWoken(PATIENT, PATIENT, PATIENT, PATIENT));
    }

    @Test
    void membersAreWokenBesideOneThatIsInterrupted() {
        inEachSchedule(() -> areWoken(INTERRUPTED, PATIENT, PATIENT, PATIENT));
    }

    @Test
    void membersAreWokenBesideOneThatIsInterruptedWhenWoken() {
        inEachSchedule(() -> areWoken(INTERRUPTED_WHEN_WOKEN, PATIENT, PATIENT, PATIENT));
    }

    @Test
    void membersAreWokenBesideTwoThatAreInterruptedOneAboveTheOther() {
        inEachSchedule(() -> areWoken(INTERRUPTED, PATIENT, INTERRUPTED, PATIENT, PATIENT, PATIENT, PATIENT));
    }

    /** The first two are woken by the sender; the first wakes the third and the fourth, and the third the last. */
    private static boolean areWoken(TimeSource... times) {
        List<Waiter<String, String>> waiters = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (TimeSource time : times) {
            Waiter<String, String> waiter = new Waiter<>(Turn.of(Duration.ofHours(1)), List.of(), List.of());
            waiter.move(State.WAITING, State.SENT);
            waiters.add(waiter);
            threads.add(new Thread(() -> await(waiter, time)));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        Waiter.wakeAll(waiters, 0);
        for (Thread thread : threads) {
            Schedules.join(thread);
        }
        return true;
    }

    private static void await(Waiter<String, String> waiter, TimeSource time) {
        try {
            waiter.await(time);
        } catch (InterruptedException e) {
            // its wait is over
        }
    }

    /** Returns how many schedules are explored for each test. */
    int schedules() {
        return 100;
    }

    private void inEachSchedule(BooleanSupplier promise) {
        Schedules.explore(schedules(), promise);
    }

    /** A clock that never ends a wait by itself, and may interrupt it. */
    private record Patience(boolean ends, boolean interrupts) implements StillTime {
        @Override
        public boolean await(CountDownLatch latch, long nanos) throws InterruptedException {
            if (ends) {
                latch.await(0, TimeUnit.NANOSECONDS);
            } else {
                latch.await();
            }
            if (interrupts) {
                throw new InterruptedException();
            }
            return true;
        }
    }
}
