package io.stampedeguard.time;

import java.util.concurrent.CountDownLatch;

/**
 * The clock of a cache, and its way to wait. Everything in this library that reads a clock or waits does so through
 * this interface, so that tests can turn time by hand.
 *
 * <p>Implementations are <em>thread-safe</em>.
 */
public interface TimeSource {
    /**
     * Tells the wall-clock time.
     *
     * @return milliseconds since the epoch; may jump
     */
    long wallMillis();

    /**
     * Tells the monotonic time, good for differences only.
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
     * Tells the time source of the machine.
     *
     * @return the system's clocks
     */
    static TimeSource system() {
        return SystemTime.INSTANCE;
    }
}
