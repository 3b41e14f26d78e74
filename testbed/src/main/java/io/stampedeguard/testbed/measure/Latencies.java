package io.stampedeguard.testbed.measure;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import java.util.zip.DataFormatException;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** Latencies of calls, with a precision of three digits, mergeable over processes; at most an hour each. <em>Thread-safe.</em> */
public final class Latencies {
    private static final int DIGITS = 3;
    private static final double NANOS_PER_MILLI = 1e6;

    private static final long LONGEST_NANOS = TimeUnit.HOURS.toNanos(1);

    /** Large enough from the beginning: a histogram that grows while several threads record may report too small a range. */
    private final Histogram nanos = new ConcurrentHistogram(LONGEST_NANOS, DIGITS);

    /**
     * Records a call.
     *
     * @param tookNanos how long it took; more than an hour counts as an hour
     */
    public void record(long tookNanos) {
        nanos.recordValue(Math.min(tookNanos, LONGEST_NANOS));
    }

    /** Adds the latencies of another process. */
    public void addAll(String encoded) {
        nanos.add(decode(encoded));
    }

    /** {@return a histogram of another process} */
    public static Histogram decode(String encoded) {
        ByteBuffer bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(encoded));
        try {
            return Histogram.decodeFromCompressedByteBuffer(bytes, 0);
        } catch (DataFormatException e) {
            throw new IllegalArgumentException("not encoded latencies", e);
        }
    }

    /** {@return the number of recorded calls} */
    public long count() {
        return nanos.getTotalCount();
    }

    /** {@return the number of calls that took longer than a given time} */
    public long countLongerThan(double millis) {
        return count() - nanos.getCountBetweenValues(0, (long) (millis * NANOS_PER_MILLI));
    }

    /**
     * {@return a percentile, in milliseconds}
     *
     * @param percentile from 0 to 100; 100 is the maximum
     */
    public double millisAt(double percentile) {
        return nanos.getValueAtPercentile(percentile) / NANOS_PER_MILLI;
    }

    /** {@return all latencies in one word: compressed text for {@link #addAll}} */
    public String encode() {
        return encode(nanos);
    }

    /** {@return a histogram in one word: compressed text for {@link #decode}} */
    public static String encode(Histogram histogram) {
        ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        byte[] used = new byte[histogram.encodeIntoCompressedByteBuffer(bytes)];
        bytes.flip().get(used);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(used);
    }
}
