package io.stampedeguard.benchmarks.workload;

import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** What the guarded cache should reach, as an upper bound of a figure. <em>Immutable.</em> */
public final class Goal {
    /** The name of the peer that goals are for. */
    public static final String OURS = "guarded";

    private final String config;
    private final String figure;
    private final double atMost;
    private final ToDoubleFunction<Spread> measured;
    private final String words;
    private final @Nullable String comparedTo;

    private Goal(
            String config,
            String figure,
            double atMost,
            ToDoubleFunction<Spread> measured,
            String words,
            @Nullable String comparedTo) {
        this.config = config;
        this.figure = figure;
        this.atMost = atMost;
        this.measured = measured;
        this.words = words;
        this.comparedTo = comparedTo;
    }

    static Goal everyRound(String config, String figure, double atMost) {
        return new Goal(config, figure, atMost, Spread::most, "in every round", null);
    }

    static Goal median(String config, String figure, double atMost) {
        return new Goal(config, figure, atMost, Spread::median, "in the median", null);
    }

    static Goal medianRatio(String config, String figure, String peer, double atMost) {
        return new Goal(config, figure, atMost, Spread::median, "in the median, as a ratio to that of " + peer, peer);
    }

    /**
     * Tells whether it was reached.
     *
     * @param results of its workload
     * @return one line, or {@code null} if what it needs was not measured
     */
    public @Nullable String verdict(Results results) {
        Spread ours = results.spread(OURS, config, figure);
        Spread theirs = comparedTo == null ? new Spread(1, 1, 1) : results.spread(comparedTo, config, figure);
        if (ours == null || theirs == null) {
            return null;
        }
        double reached = measured.applyAsDouble(ours) / measured.applyAsDouble(theirs);
        return String.format(
                Locale.ROOT,
                "goal (%s, %s): %s at most %s %s: %s, %s",
                OURS,
                config,
                figure,
                shown(atMost),
                words,
                shown(reached),
                reached <= atMost ? "reached" : "MISSED");
    }

    private static String shown(double number) {
        return number == Math.rint(number)
                ? String.format(Locale.ROOT, "%,.0f", number)
                : String.format(Locale.ROOT, "%,.2f", number);
    }
}
