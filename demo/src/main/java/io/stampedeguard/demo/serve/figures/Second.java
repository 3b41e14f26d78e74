package io.stampedeguard.demo.serve.figures;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * The figures of a fleet for one second: its processes, the counts of this second and since the start, and the highest number of
 * callers that waited at once, summed over the processes. For calls still pending at its end, the latencies, in microseconds,
 * contain the time so far.
 */
public record Second(int processes, Tally counted, Tally total, long waiting, Histogram took) {
    private static final double MICROS_PER_MILLI = 1_000;
    private static final double LONGEST = 100;
    private static final int DIGITS = 2;
    private static final long LONGEST_MICROS = TimeUnit.MINUTES.toMicros(10);

    /** Returns an empty histogram of latencies, in microseconds; a small one, since there is one for each quarter of a second. */
    public static Histogram noLatencies() {
        return new Histogram(LONGEST_MICROS, DIGITS);
    }

    /** Returns a latency within the range of the histograms, which is ten minutes. */
    public static long bounded(long micros) {
        return Math.max(0, Math.min(micros, LONGEST_MICROS));
    }

    public double longestMillis() {
        return millisAt(LONGEST);
    }

    public double millisAt(double percentile) {
        return took.getTotalCount() == 0 ? 0 : took.getValueAtPercentile(percentile) / MICROS_PER_MILLI;
    }
}
