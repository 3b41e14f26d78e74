package io.stampedeguard.filter;

import io.stampedeguard.time.TimeSource;
import java.time.Duration;

/** How far a rebuild has come, told about each second and at the end. <em>Not thread-safe.</em> */
final class RebuildProgress {
    private static final long PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

    private final FilterEvents events;
    private final TimeSource time;
    private long keys;
    private long toldNanos;

    RebuildProgress(FilterEvents events, TimeSource time) {
        this.events = events;
        this.time = time;
        this.toldNanos = time.monotonicNanos();
    }

    /** Notes that one more key was read. */
    void read() {
        keys++;
        long now = time.monotonicNanos();
        if (now - toldNanos >= PAUSE_NANOS) {
            toldNanos = now;
            events.rebuild(keys);
        }
    }

    /** Notes that all were read. */
    void end() {
        events.rebuild(keys);
    }
}
