package io.stampedeguard.testbed.measure;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measured figures by name, in the order in which they are shown: whole numbers for counts, others for measurements.
 * <em>Immutable.</em>
 *
 * @param values the figures by name; the name of a time ends in its unit
 */
public record Figures(Map<String, Number> values) {
    private static final double MICROS_PER_MILLI = 1_000;
    private static final double MICROS_PER_SECOND = 1e6;

    /** Returns no figures, to which others are added. */
    public static Figures none() {
        return new Figures(Map.of());
    }

    /** Adds a count. */
    public Figures with(String name, long count) {
        return and(name, count);
    }

    /**
     * Adds a measured time.
     *
     * @param name the name of the figure, which ends in its unit
     */
    public Figures withMillis(String name, double millis) {
        return and(name, millis);
    }

    /** Adds a rate. */
    public Figures withRate(String name, double rate) {
        return and(name, rate);
    }

    /**
     * Adds the time between two instants.
     *
     * @param name the name of the figure, which ends in its unit
     * @param fromMicros the first instant in microseconds
     * @param toMicros the second instant in microseconds
     */
    public Figures withMillis(String name, long fromMicros, long toMicros) {
        return and(name, (toMicros - fromMicros) / MICROS_PER_MILLI);
    }

    /** Adds how many there were per second between two instants. */
    public Figures withPerSecond(String name, long count, long fromMicros, long toMicros) {
        return withRate(name, count / ((toMicros - fromMicros) / MICROS_PER_SECOND));
    }

    /**
     * Returns the sums of the counts of several rounds.
     *
     * @param rounds the figures of the rounds, all with the same names
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
