package io.stampedeguard.testbed.measure;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import java.util.zip.DataFormatException;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** How long calls took, to three digits, mergeable over processes; an hour at most. <em>Thread-safe.</em> */
public final class Latencies {
    private static final int DIGITS = 3;
    private static final double NANOS_PER_MILLI = 1e6;

    private static final long LONGEST_NANOS = TimeUnit.HOURS.toNanos(1);

    /** Large enough from the beginning: one that grows while several threads record may tell a range too small for it. */
    private final Histogram nanos = new ConcurrentHistogram(LONGEST_NANOS, DIGITS);

    /** Starts empty. */
    public Latencies() {}

    /**
     * Notes a call.
     *
     * @param tookNanos how long it took; more than an hour counts as an hour
     */
    public void record(long tookNanos) {
        nanos.recordValue(Math.min(tookNanos, LONGEST_NANOS));
    }

    /**
     * Adds what another process has noted.
     *
     * @param encoded what its {@link #encode()} told
     */
    public void addAll(String encoded) {
        ByteBuffer bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(encoded));
        try {
            nanos.add(Histogram.decodeFromCompressedByteBuffer(bytes, 0));
        } catch (DataFormatException e) {
            throw new IllegalArgumentException("not encoded latencies", e);
        }
    }

    /**
     * Returns how many calls were noted.
     *
     * @return their number
     */
    public long count() {
        return nanos.getTotalCount();
    }

    /**
     * Returns how many calls took longer than a given time.
     *
     * @param millis the time
     * @return their number
     */
    public long countLongerThan(double millis) {
        return count() - nanos.getCountBetweenValues(0, (long) (millis * NANOS_PER_MILLI));
    }

    /**
     * Returns a percentile.
     *
     * @param percentile from 0 to 100; 100 is the longest
     * @return milliseconds
     */
    public double millisAt(double percentile) {
        return nanos.getValueAtPercentile(percentile) / NANOS_PER_MILLI;
    }

    /**
     * Returns all in one word.
     *
     * @return compressed text for {@link #addAll}
     */
    public String encode() {
        ByteBuffer bytes = ByteBuffer.allocate(nanos.getNeededByteBufferCapacity());
        byte[] used = new byte[nanos.encodeIntoCompressedByteBuffer(bytes)];
        bytes.flip().get(used);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(used);
    }
}
