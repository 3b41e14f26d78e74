package io.stampedeguard.filter.bloom;

import io.stampedeguard.filter.internal.FilterEvents;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;

/** The progress of a rebuild, reported about once per second and at the end. <em>Not thread-safe.</em> */
final class RebuildProgress {
    private static final long PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

    private final FilterEvents events;
    private final TimeSource time;
    private long keys;
    private long reportedNanos;

    RebuildProgress(FilterEvents events, TimeSource time) {
        this.events = events;
        this.time = time;
        this.reportedNanos = time.monotonicNanos();
    }

    /** Counts one more key. */
    void read() {
        keys++;
        long now = time.monotonicNanos();
        if (now - reportedNanos >= PAUSE_NANOS) {
            reportedNanos = now;
            events.rebuild(keys);
        }
    }

    /** Reports that all keys have been read. */
    void end() {
        events.rebuild(keys);
    }
}
