package io.stampedeguard.time;

import java.util.concurrent.CountDownLatch;

/**
 * The clock of a cache, and its way to wait. Everything in this library that reads a clock, waits or sets a timer does so
 * through this interface, so that tests can turn time by hand.
 *
 * <p>Implementations are <em>thread-safe</em>.
 */
public interface TimeSource {
    /**
     * Returns the wall-clock time.
     *
     * @return milliseconds since the epoch; may jump
     */
    long wallMillis();

    /**
     * Returns the monotonic time, good for differences only.
     *
     * @return nanoseconds since some fixed point; never goes back
     */
    long monotonicNanos();

    /**
     * Blocks until the latch is open or the time is over.
     *
     * @param latch what to wait for
     * @param nanos how long at most, in nanoseconds; zero or less does not wait
     * @return whether the latch is open
     * @throws InterruptedException if the thread is interrupted; its interrupt flag is then clear
     */
    boolean await(CountDownLatch latch, long nanos) throws InterruptedException;

    /**
     * Runs a task once, later, on a thread of the clock's that all tasks share: it must be quick, and must not block.
     *
     * @param nanos in how many nanoseconds; zero or less means soon
     * @param task the task
     * @return the timer, which may be stopped
     */
    Timer schedule(long nanos, Runnable task);

    /** A task that is to run. <em>Thread-safe.</em> */
    interface Timer {
        /** Lets the task not run any more, unless it has begun. */
        void stop();
    }

    /**
     * Returns the time source of the machine.
     *
     * @return the system's clocks
     */
    static TimeSource system() {
        return SystemTime.INSTANCE;
    }
}
