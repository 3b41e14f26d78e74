package io.stampedeguard.benchmarks.result;

import java.util.List;

/** One figure over all rounds; the median is the middle number, or the mean of the two middle ones. <em>Immutable.</em> */
public record Spread(double median, double least, double most) {
    /** Returns the spread of some numbers, at least one. */
    public static Spread of(List<? extends Number> numbers) {
        double[] sorted =
                numbers.stream().mapToDouble(Number::doubleValue).sorted().toArray();
        if (sorted.length == 0) {
            throw new IllegalArgumentException("the median of no numbers does not exist");
        }
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(median, sorted[0], sorted[sorted.length - 1]);
    }
}
