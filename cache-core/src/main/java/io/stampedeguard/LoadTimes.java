package io.stampedeguard;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How long loads took: a histogram with four buckets to each doubling, so that what it tells is at most a fifth too long.
 * <em>Thread-safe.</em>
 */
final class LoadTimes {
    private static final int FOR_EACH_DOUBLING = 4;

    private final AtomicLongArray counts = new AtomicLongArray(44 * FOR_EACH_DOUBLING); // up to 2^44 µs
    private final AtomicLong count = new AtomicLong();

    /** Adds a load; tells how many there are. */
    long add(long nanos) {
        double micros = Math.max(1, nanos / 1_000.0);
        int bucket = (int) (Math.log(micros) / Math.log(2) * FOR_EACH_DOUBLING);
        counts.incrementAndGet(Math.min(bucket, counts.length() - 1));
        return count.incrementAndGet();
    }

    /** Tells how long at most so large a share of the loads took. */
    long millisAt(double share) {
        long wanted = (long) Math.ceil(count.get() * share);
        long seen = 0;
        int bucket = 0;
        while (bucket < counts.length() - 1 && (seen += counts.get(bucket)) < wanted) {
            bucket++;
        }
        return (long) (Math.pow(2, (bucket + 1.0) / FOR_EACH_DOUBLING) / 1_000);
    }
}
