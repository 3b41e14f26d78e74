package io.stampedeguard.internal.thread;

import io.stampedeguard.time.TimeSource;
import java.time.Duration;

/**
 * The time until which one caller waits, however many waits that takes. The time in which it loads itself is none of them: then it
 * {@link #restart restarts}. <em>Thread-safe</em>, if only the thread of the call restarts it.
 */
public final class Deadline {
    private final TimeSource time;
    private volatile long atNanos;

    private Deadline(TimeSource time, long atNanos) {
        this.time = time;
        this.atNanos = atNanos;
    }

    public static Deadline in(Duration length, TimeSource time) {
        return new Deadline(time, time.monotonicNanos() + length.toNanos());
    }

    /** Returns a deadline for a wait that began at a (monotonic) time. */
    public static Deadline after(long beganNanos, Duration length, TimeSource time) {
        return new Deadline(time, beganNanos + length.toNanos());
    }

    /** Begins anew: the caller can still wait for this long. */
    public void restart(long nanos) {
        atNanos = time.monotonicNanos() + nanos;
    }

    public long remainingNanos() {
        return atNanos - time.monotonicNanos();
    }

    /** Returns how long the caller can still wait; zero if the deadline is over. */
    public Duration remaining() {
        return Duration.ofNanos(Math.max(0, atNanos - time.monotonicNanos()));
    }

    public boolean isOver() {
        return remainingNanos() <= 0;
    }
}
