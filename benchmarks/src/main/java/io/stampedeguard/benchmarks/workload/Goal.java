package io.stampedeguard.benchmarks.workload;

import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * What a guarded cache should reach, as a bound of a figure. <em>Immutable.</em>
 *
 * @param peer whose goal it is
 * @param config in which set-up
 * @param figure the name of the figure
 * @param bound on which side of which number it is to be
 * @param measured what of all rounds counts
 * @param words the same, in words
 * @param comparedTo the peer of which a ratio is taken, or {@code null} for none
 */
public record Goal(
        String peer,
        String config,
        String figure,
        Bound bound,
        ToDoubleFunction<Spread> measured,
        String words,
        @Nullable String comparedTo) {
    /** The name of the peer that goals are for, unless they say {@link #of}. */
    public static final String OURS = "guarded";

    /**
     * On which side of which number a figure is to be.
     *
     * @param side at most or at least
     * @param number the number
     */
    public record Bound(Side side, double number) {
        boolean holds(double reached) {
            return side == Side.AT_MOST ? reached <= number : reached >= number;
        }

        @Override
        public String toString() {
            return (side == Side.AT_MOST ? "at most " : "at least ") + shown(number);
        }
    }

    /** At most or at least. */
    public enum Side {
        /** Less is better. */
        AT_MOST,
        /** More is better. */
        AT_LEAST
    }

    static Goal everyRound(String config, String figure, double atMost) {
        return new Goal(OURS, config, figure, atMost(atMost), Spread::most, "in every round", null);
    }

    static Goal median(String config, String figure, double atMost) {
        return new Goal(OURS, config, figure, atMost(atMost), Spread::median, "in the median", null);
    }

    static Goal medianRatio(String config, String figure, String peer, double atMost) {
        return ratio(config, figure, peer, atMost(atMost));
    }

    static Goal medianRatioAtLeast(String config, String figure, String peer, double atLeast) {
        return ratio(config, figure, peer, new Bound(Side.AT_LEAST, atLeast));
    }

    private static Goal ratio(String config, String figure, String peer, Bound bound) {
        String words = "in the median, as a ratio to that of " + peer;
        return new Goal(OURS, config, figure, bound, Spread::median, words, peer);
    }

    private static Bound atMost(double number) {
        return new Bound(Side.AT_MOST, number);
    }

    /** The same goal for another guarded cache. */
    Goal of(String otherPeer) {
        return new Goal(otherPeer, config, figure, bound, measured, words, comparedTo);
    }

    /**
     * Tells whether it was reached.
     *
     * @param results of its workload
     * @return one line, or {@code null} if what it needs was not measured
     */
    public @Nullable String verdict(Results results) {
        Spread ours = results.spread(peer, config, figure);
        Spread theirs = comparedTo == null ? new Spread(1, 1, 1) : results.spread(comparedTo, config, figure);
        if (ours == null || theirs == null) {
            return null;
        }
        double reached = measured.applyAsDouble(ours) / measured.applyAsDouble(theirs);
        return String.format(
                Locale.ROOT,
                "goal (%s, %s): %s %s %s: %s, %s",
                peer,
                config,
                figure,
                bound,
                words,
                shown(reached),
                bound.holds(reached) ? "reached" : "MISSED");
    }

    private static String shown(double number) {
        return number == Math.rint(number)
                ? String.format(Locale.ROOT, "%,.0f", number)
                : String.format(Locale.ROOT, "%,.2f", number);
    }
}
