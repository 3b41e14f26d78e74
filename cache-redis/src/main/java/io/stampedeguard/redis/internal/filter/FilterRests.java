package io.stampedeguard.redis.internal.filter;

import io.stampedeguard.filter.bloom.BloomShape;
import io.stampedeguard.time.TimeSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Partitions of a filter that are left alone for a second after the last call to them failed, or was of no use, counted from
 * the failure and not from the call: so that an outage costs one timeout, and not one for each call. <em>Thread-safe.</em>
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

    /** Each partition rests for itself, as on a cluster, where the others may answer. */
    static FilterRests ofEach(TimeSource time) {
        return new FilterRests(time, BloomShape.PARTITIONS);
    }

    /** When one partition rests, all do. */
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
