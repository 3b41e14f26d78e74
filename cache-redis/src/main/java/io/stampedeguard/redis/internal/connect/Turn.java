package io.stampedeguard.redis.internal.connect;

import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The wait of one call for a connection: how long it may last, and when it ended. A pool that others use as well reports by
 * itself, sooner or later, that all its connections are in use. The call then asks again after a pause. For one call of one
 * thread.
 */
public final class Turn {
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(16);

    private final boolean holdsLease;
    private final Duration patience;
    private long untilNanos;
    private long sentNanos = Long.MIN_VALUE;
    private long pauseNanos = FIRST_PAUSE_NANOS;

    private Turn(boolean holdsLease, Duration patience) {
        this.holdsLease = holdsLease;
        this.patience = patience;
    }

    /**
     * Creates the turn of a caller that holds no lease.
     *
     * @param patience the longest wait
     */
    public static Turn of(Duration patience) {
        return new Turn(false, patience);
    }

    /**
     * Creates the turn of a caller that has to renew, publish under, or give back a lease. It waits for other lease holders
     * only.
     *
     * @param patience the longest wait
     */
    public static Turn ofLeaseHolder(Duration patience) {
        return new Turn(true, patience);
    }

    /** Returns a turn of the same caller for another call. */
    public Turn next() {
        return new Turn(holdsLease, patience);
    }

    boolean holdsLease() {
        return holdsLease;
    }

    void begin(TimeSource time) {
        untilNanos = time.monotonicNanos() + patience.toNanos();
    }

    long leftNanos(TimeSource time) {
        return untilNanos - time.monotonicNanos();
    }

    /** Notes that the wait is over, and a command is sent. */
    public void sending(TimeSource time) {
        sentNanos = time.monotonicNanos();
    }

    /** Returns the (monotonic) time at which the wait ended, {@link Long#MIN_VALUE} if nothing was sent. */
    public long sentNanos() {
        return sentNanos;
    }

    /**
     * Returns whether a command was not sent because no connection was free, and should be retried; pauses before the retry.
     */
    public boolean isWaitedFor(RuntimeException failure, TimeSource time) {
        return RedisFailure.isShortage(failure) && leftNanos(time) > 0 && pause(time);
    }

    private boolean pause(TimeSource time) {
        try {
            time.await(new CountDownLatch(1), Math.min(pauseNanos, leftNanos(time)));
            pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
