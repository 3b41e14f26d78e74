package io.stampedeguard.benchmarks.result;

import java.util.List;

/**
 * One figure over all rounds. <em>Immutable.</em>
 *
 * @param median the middle number, or the mean of the two middle ones
 * @param least the smallest
 * @param most the largest
 */
public record Spread(double median, double least, double most) {
    /**
     * Returns the spread of some numbers.
     *
     * @param numbers at least one
     * @return their spread
     */
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
