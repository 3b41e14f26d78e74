package io.stampedeguard.demo.serve.figures;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * The figures of a fleet for one second: what its processes did, the counts of this second and since the start, and the highest
 * number of callers that were stuck at once, summed over the processes. For calls still pending at its end, the latencies, in
 * microseconds, contain the time so far.
 */
public record Second(List<ProcessState> states, Tally counted, Tally total, long stuck, Histogram took) {
    private static final double MICROS_PER_MILLI = 1_000;
    private static final double LONGEST = 100;
    private static final int DIGITS = 2;
    private static final long LONGEST_MICROS = TimeUnit.MINUTES.toMicros(10);

    public Second {
        states = List.copyOf(states);
    }

    public long processes() {
        return states.stream().filter(state -> state != ProcessState.DEAD).count();
    }

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
