package io.stampedeguard;

import io.stampedeguard.time.TimeSource;
import java.time.Duration;

/** The moment until which one caller waits, however many waits that takes. <em>Immutable.</em> */
final class Deadline {
    private final TimeSource time;
    private final long atNanos;

    private Deadline(TimeSource time, long atNanos) {
        this.time = time;
        this.atNanos = atNanos;
    }

    static Deadline in(Duration length, TimeSource time) {
        return new Deadline(time, time.monotonicNanos() + length.toNanos());
    }

    long remainingNanos() {
        return atNanos - time.monotonicNanos();
    }

    boolean isOver() {
        return remainingNanos() <= 0;
    }
}
