package io.stampedeguard.benchmarks.result;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.Locale;

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

    /** Returns the median, and the range if there is one. */
    @JsonProperty
    public String words() {
        String middle = number(median);
        return least == most ? middle : "%s (%s–%s)".formatted(middle, number(least), number(most));
    }

    /** Small figures have three significant digits: a near hit takes microseconds, which are shown in milliseconds. */
    private static String number(double number) {
        if (number == Math.rint(number)) {
            return String.format(Locale.ROOT, "%,.0f", number);
        }
        return String.format(Locale.ROOT, Math.abs(number) < 1 ? "%,.3f" : "%,.1f", number);
    }
}
