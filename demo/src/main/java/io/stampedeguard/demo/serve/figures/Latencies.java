package io.stampedeguard.demo.serve.figures;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * Histograms of the latencies of calls, in microseconds, up to ten minutes. They are small, since there is one for each
 * quarter of a second.
 */
public final class Latencies {
    private static final int DIGITS = 2;
    private static final long LONGEST_MICROS = TimeUnit.MINUTES.toMicros(10);

    private Latencies() {}

    public static long bounded(long micros) {
        return Math.max(0, Math.min(micros, LONGEST_MICROS));
    }

    public static Histogram empty() {
        return new Histogram(LONGEST_MICROS, DIGITS);
    }

    public static String encode(Histogram histogram) {
        ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        byte[] used = new byte[histogram.encodeIntoCompressedByteBuffer(bytes)];
        bytes.flip().get(used);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(used);
    }

    public static Histogram decode(String text) {
        ByteBuffer bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(text));
        try {
            return Histogram.decodeFromCompressedByteBuffer(bytes, LONGEST_MICROS);
        } catch (DataFormatException e) {
            throw new IllegalArgumentException("not encoded latencies", e);
        }
    }
}
