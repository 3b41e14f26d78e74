package io.stampedeguard.internal.thread;

import io.stampedeguard.internal.thread.WakeUpTree.Waiter;
import io.stampedeguard.testkit.ExploresSchedules;
import io.stampedeguard.testkit.Schedules;
import io.stampedeguard.testkit.StillTime;
import io.stampedeguard.time.TimeSource;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/**
 * Explores the schedules of waiters and the thread that releases them, switch by switch, for one in which a wake-up is lost: then a
 * thread waits forever, which Lincheck reports. Plain conditions instead of assertions, because Lincheck instruments this code.
 */
@ExploresSchedules
class WakeUpTreeLincheckTest {
    private static final TimeSource PATIENT = new Patience(false, false);

    /** Ends each wait at once. */
    private static final TimeSource IMPATIENT = new Patience(true, false);

    /** Ends each wait with an interrupt at once. */
    private static final TimeSource INTERRUPTED = new Patience(true, true);

    /** Ends each wait with an interrupt when the waiter is woken. */
    private static final TimeSource INTERRUPTED_WHEN_WOKEN = new Patience(false, true);

    @Test
    void loneWaiterIsWokenOrReturnsAtOnce() {
        inEachSchedule(() -> {
            WakeUpTree tree = new WakeUpTree();
            Waiting waiter = new Waiting(tree, PATIENT);
            waiter.start();
            tree.release();
            return waiter.isReleased();
        });
    }

    @Test
    void eachWaiterIsWokenOrReturnsAtOnce() {
        inEachSchedule(() -> {
            WakeUpTree tree = new WakeUpTree();
            Waiting first = new Waiting(tree, PATIENT);
            Waiting second = new Waiting(tree, PATIENT);
            Waiting third = new Waiting(tree, PATIENT);
            start(first, second, third);
            tree.release();
            return first.isReleased() && second.isReleased() && third.isReleased();
        });
    }

    @Test
    void waiterIsWokenBesideTwoWhoseTimeEnds() {
        inEachSchedule(() -> isWokenBesideTwo(IMPATIENT));
    }

    @Test
    void waiterIsWokenBesideTwoThatAreInterrupted() {
        inEachSchedule(() -> isWokenBesideTwo(INTERRUPTED));
    }

    @Test
    void waiterIsWokenBesideTwoThatAreInterruptedWhenWoken() {
        inEachSchedule(() -> isWokenBesideTwo(INTERRUPTED_WHEN_WOKEN));
    }

    /** Release wakes the two that were added last, or finds that they have left: the other one depends on them. */
    private static boolean isWokenBesideTwo(TimeSource leaving) {
        WakeUpTree tree = new WakeUpTree();
        Added patient = new Added(tree, PATIENT);
        Added second = new Added(tree, leaving);
        Added third = new Added(tree, leaving);
        start(patient, second, third);
        tree.release();
        Schedules.join(second);
        Schedules.join(third);
        Schedules.join(patient);
        return true;
    }

    @Test
    void whatLeavesIsUnlinkedWithoutAnyWaiter() {
        inEachSchedule(() -> {
            WakeUpTree tree = new WakeUpTree();
            Waiting first = new Waiting(tree, IMPATIENT);
            Waiting second = new Waiting(tree, PATIENT);
            Waiting third = new Waiting(tree, IMPATIENT);
            start(first, second, third);
            Schedules.join(first);
            Schedules.join(third);
            tree.release();
            return second.isReleased();
        });
    }

    @Test
    void ofTwoThatReleaseEachWakesAll() {
        inEachSchedule(() -> {
            WakeUpTree tree = new WakeUpTree();
            Waiting first = new Waiting(tree, PATIENT);
            Waiting second = new Waiting(tree, PATIENT);
            Thread other = new Thread(tree::release);
            start(first, second, other);
            tree.release();
            Schedules.join(other);
            return first.isReleased() && second.isReleased();
        });
    }

    /** Returns how many schedules are explored for each test. */
    int schedules() {
        return 100;
    }

    private void inEachSchedule(BooleanSupplier promise) {
        Schedules.explore(schedules(), promise);
    }

    private static void start(Thread... threads) {
        for (Thread thread : threads) {
            thread.start();
        }
    }

    /** A clock that either never ends a wait or ends it at once, and may interrupt it. */
    private record Patience(boolean ends, boolean interrupts) implements StillTime {
        @Override
        public boolean await(CountDownLatch latch, long nanos) throws InterruptedException {
            if (ends || nanos == 0) {
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

    /** A thread that waits for a tree. */
    private static final class Waiting extends Thread {
        private final WakeUpTree tree;
        private final TimeSource time;
        private boolean released;

        Waiting(WakeUpTree tree, TimeSource time) {
            this.tree = tree;
            this.time = time;
        }

        @Override
        public void run() {
            try {
                released = tree.await(time, Long.MAX_VALUE);
            } catch (InterruptedException e) {
                released = false;
            }
        }

        boolean isReleased() {
            Schedules.join(this);
            return released;
        }
    }

    /** A thread whose waiter was added before it starts. */
    private static final class Added extends Thread {
        private final Waiter waiter;
        private final TimeSource time;

        Added(WakeUpTree tree, TimeSource time) {
            this.waiter = tree.add();
            this.time = time;
        }

        @Override
        public void run() {
            try {
                waiter.awaitWakeUp(time, Long.MAX_VALUE);
            } catch (InterruptedException e) {
                // its wait is over
            }
        }
    }
}
