package io.stampedeguard.time;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;

/**
 * The clock, the timers, the background, and the random numbers of a cache. Everything in this library that reads a clock, waits,
 * sets a timer, or works in the background uses this interface, so that tests can control time. Implementations are <em>thread-safe</em>.
 */
public interface TimeSource {
    /** {@return the wall-clock time in milliseconds since the epoch; may jump} */
    long wallMillis();

    /** {@return the monotonic time in nanoseconds since some fixed point, suitable for differences only; never decreases} */
    long monotonicNanos();

    /**
     * Blocks until the latch is open or the time is over.
     *
     * @param latch the latch to wait for
     * @param nanos the maximum time in nanoseconds; zero or less does not wait, {@link Long#MAX_VALUE} waits without a timer
     * @return whether the latch is open
     * @throws InterruptedException if the thread is interrupted; its interrupt flag is then clear
     */
    boolean await(CountDownLatch latch, long nanos) throws InterruptedException;

    /**
     * Runs a task once, later, on a thread that all tasks share: the task must be fast, and must not block.
     *
     * @param nanos the delay in nanoseconds; zero or less means as soon as possible
     * @param task the task
     * @return the timer, which can be stopped
     */
    Timer schedule(long nanos, Runnable task);

    /**
     * Runs a task for which no caller waits, such as a reload in the background. By default on the given threads of the cache; a
     * time source that simulates many processes runs it itself, within the bounds of these threads. Does not wait for the task, and
     * never runs it on the calling thread: that is a reader's.
     *
     * @param threads the threads of the cache for such tasks, and their queue
     * @param task the task; it may block
     * @throws java.util.concurrent.RejectedExecutionException if the queue is full, or the threads were shut down
     */
    default void execute(ThreadPoolExecutor threads, Runnable task) {
        threads.execute(task);
    }

    /**
     * {@return a random number for jitter and pauses, uniformly distributed from 0 (inclusive) to 1 (exclusive)} A time source that
     * simulates many processes draws it from a seed, so that each run is the same.
     */
    default double random() {
        return ThreadLocalRandom.current().nextDouble();
    }

    /** A scheduled task. <em>Thread-safe.</em> */
    interface Timer {
        /** Cancels the task, unless it has begun. */
        void stop();
    }

    /** {@return the time source of the machine} */
    static TimeSource system() {
        return SystemTime.INSTANCE;
    }
}
