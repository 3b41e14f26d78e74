package io.stampedeguard.redis.internal.connect;

import io.stampedeguard.time.TimeSource;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How long one call can still wait for a connection. A pool that is also used by others reports by itself that all its connections are
 * in use, sooner or later; then the call asks again, after a pause. For one call of one thread.
 */
public final class Patience {
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(16);

    private final Turn turn;
    private final TimeSource time;
    private final long untilNanos;
    private long pauseNanos = FIRST_PAUSE_NANOS;

    Patience(Turn turn, TimeSource time) {
        this.turn = turn;
        this.time = time;
        this.untilNanos = time.monotonicNanos() + turn.patience().toNanos();
    }

    /** Notes that the wait is over, and a command is sent. */
    public void sending() {
        AtomicLong sentNanos = turn.sentNanos();
        if (sentNanos != null) {
            sentNanos.set(time.monotonicNanos());
        }
    }

    long leftNanos() {
        return untilNanos - time.monotonicNanos();
    }

    /** Returns whether a command was not sent, as no connection was free, and is worth another try; pauses before it. */
    public boolean isWaitedFor(RuntimeException failure) {
        return RedisFailure.isShortage(failure) && leftNanos() > 0 && pause();
    }

    private boolean pause() {
        try {
            time.await(new CountDownLatch(1), Math.min(pauseNanos, leftNanos()));
            pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
