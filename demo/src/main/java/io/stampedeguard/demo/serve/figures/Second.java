package io.stampedeguard.demo.serve.figures;

import org.HdrHistogram.Histogram;

/**
 * What a fleet did within a second.
 *
 * @param processes how many processes it has
 * @param counted what was counted
 * @param total what has been counted since the start
 * @param waiting how many callers waited at once at most, the sum over the processes
 * @param took how long calls took, in microseconds, of those that still wait at its end how long so far
 */
public record Second(int processes, Tally counted, Tally total, long waiting, Histogram took) {
    private static final double MICROS_PER_MILLI = 1_000;
    private static final double LONGEST = 100;

    public double longestMillis() {
        return millisAt(LONGEST);
    }

    public double millisAt(double percentile) {
        return took.getTotalCount() == 0 ? 0 : took.getValueAtPercentile(percentile) / MICROS_PER_MILLI;
    }
}
