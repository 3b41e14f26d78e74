package io.stampedeguard.benchmarks.result;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What was measured, by name, in the order in which it is shown. <em>Immutable.</em>
 *
 * @param values whole numbers for what is counted, others for what is measured
 */
public record Figures(Map<String, Number> values) {
    private static final double MICROS_PER_MILLI = 1_000;

    /**
     * Starts with nothing.
     *
     * @return no figures
     */
    public static Figures none() {
        return new Figures(Map.of());
    }

    /**
     * Adds a count.
     *
     * @param name what was counted
     * @param count its number
     * @return new figures
     */
    public Figures with(String name, long count) {
        return and(name, count);
    }

    /**
     * Adds a measured time.
     *
     * @param name what was measured, ending in its unit
     * @param millis how long it took
     * @return new figures
     */
    public Figures withMillis(String name, double millis) {
        return and(name, millis);
    }

    /**
     * Adds something for each of something else.
     *
     * @param name what was measured
     * @param rate how much
     * @return new figures
     */
    public Figures withRate(String name, double rate) {
        return and(name, rate);
    }

    /**
     * Adds the time between two instants.
     *
     * @param name what was measured, ending in its unit
     * @param fromMicros the first instant
     * @param toMicros the second
     * @return new figures
     */
    public Figures withMillis(String name, long fromMicros, long toMicros) {
        return and(name, (toMicros - fromMicros) / MICROS_PER_MILLI);
    }

    /**
     * Adds up counts of several rounds.
     *
     * @param rounds their figures, all of the same names
     * @return the sums
     */
    public static Figures sum(List<Figures> rounds) {
        Map<String, Number> sums = new LinkedHashMap<>();
        for (Figures round : rounds) {
            round.values.forEach((name, count) ->
                    sums.merge(name, count.longValue(), (one, other) -> one.longValue() + other.longValue()));
        }
        return new Figures(sums);
    }

    private Figures and(String name, Number value) {
        Map<String, Number> more = new LinkedHashMap<>(values);
        more.put(name, value);
        return new Figures(more);
    }
}
