package io.stampedeguard.metrics.internal.advice;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.LongStream;

/**
 * The times of the last calls of the loader: a histogram with four buckets per doubling, so that a reported time may be too
 * short by up to a fifth. All counts are halved after each thousand calls, so old calls count less and less, and a loader
 * that becomes slow is detected within tens of calls, however many calls there were before. <em>Thread-safe.</em>
 */
final class LoadTimes {
    private static final int FOR_EACH_DOUBLING = 4;
    private static final int HALVED_AFTER = 1_000;

    private final AtomicLongArray counts = new AtomicLongArray(44 * FOR_EACH_DOUBLING); // up to 2^44 µs
    private final AtomicLong calls = new AtomicLong();

    void add(long nanos) {
        double micros = Math.max(1, nanos / 1_000.0);
        int bucket = (int) (Math.log(micros) / Math.log(2) * FOR_EACH_DOUBLING);
        counts.incrementAndGet(Math.min(bucket, counts.length() - 1));
        if (calls.incrementAndGet() % HALVED_AFTER == 0) {
            halve();
        }
    }

    private void halve() {
        for (int bucket = 0; bucket < counts.length(); bucket++) {
            counts.updateAndGet(bucket, count -> count / 2);
        }
    }

    long calls() {
        return calls.get();
    }

    /** Returns a snapshot of the calls so far, because the counts change concurrently. */
    Seen seen() {
        long[] copy = new long[counts.length()];
        for (int bucket = 0; bucket < copy.length; bucket++) {
            copy[bucket] = counts.get(bucket);
        }
        return new Seen(copy);
    }

    /** A snapshot of the calls. <em>Immutable.</em> */
    static final class Seen {
        private final long[] counts;

        private Seen(long[] counts) {
            this.counts = counts;
        }

        /** Returns how many of the calls still count. */
        long counted() {
            return LongStream.of(counts).sum();
        }

        /** Returns a lower bound of a percentile: the time within which the given share of the calls ended. */
        long millisAt(double share) {
            long wanted = (long) Math.ceil(counted() * share);
            int bucket = 0;
            long seen = counts[0];
            while (seen < wanted) {
                seen += counts[++bucket];
            }
            return (long) (Math.pow(2, (double) bucket / FOR_EACH_DOUBLING) / 1_000);
        }
    }
}
