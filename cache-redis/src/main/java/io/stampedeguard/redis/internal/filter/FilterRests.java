package io.stampedeguard.redis.internal.filter;

import io.stampedeguard.filter.bloom.BloomShape;
import io.stampedeguard.time.TimeSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Pauses of one second for partitions of a filter after a failed or useless call, counted from the failure and not from the
 * call. So an outage costs one timeout, not one per call. <em>Thread-safe.</em>
 */
final class FilterRests {
    private static final long NANOS = TimeUnit.SECONDS.toNanos(1);

    private final TimeSource time;
    private final AtomicLongArray begunNanos;

    private FilterRests(TimeSource time, int partitions) {
        this.time = time;
        this.begunNanos = new AtomicLongArray(partitions);
        for (int i = 0; i < begunNanos.length(); i++) {
            begunNanos.set(i, time.monotonicNanos() - NANOS);
        }
    }

    /** Each partition pauses by itself, as on a cluster, where the others may answer. */
    static FilterRests ofEach(TimeSource time) {
        return new FilterRests(time, BloomShape.PARTITIONS);
    }

    /** All partitions pause together. */
    static FilterRests ofAll(TimeSource time) {
        return new FilterRests(time, 1);
    }

    boolean isResting(int partition) {
        return time.monotonicNanos() - begunNanos.get(partition % begunNanos.length()) < NANOS;
    }

    void begin(int partition) {
        begunNanos.set(partition % begunNanos.length(), time.monotonicNanos());
    }
}
