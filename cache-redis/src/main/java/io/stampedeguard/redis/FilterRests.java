package io.stampedeguard.redis;

import io.stampedeguard.filter.bloom.BloomShape;
import io.stampedeguard.time.TimeSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Partitions of a filter that are not asked for a second, since the last question to them failed: so that an outage costs
 * one timeout, and not one for each look. On a cluster each rests for itself. <em>Thread-safe.</em>
 */
final class FilterRests {
    private static final long NANOS = TimeUnit.SECONDS.toNanos(1);

    private final TimeSource time;
    private final AtomicLongArray begunNanos;

    FilterRests(TimeSource time, boolean cluster) {
        this.time = time;
        this.begunNanos = new AtomicLongArray(cluster ? BloomShape.PARTITIONS : 1);
        for (int i = 0; i < begunNanos.length(); i++) {
            begunNanos.set(i, time.monotonicNanos() - NANOS);
        }
    }

    boolean isResting(int partition) {
        return time.monotonicNanos() - begunNanos.get(partition % begunNanos.length()) < NANOS;
    }

    void begin(int partition) {
        begunNanos.set(partition % begunNanos.length(), time.monotonicNanos());
    }
}
