package io.stampedeguard.benchmarks.result;

import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * A goal for a guarded cache: a bound of a figure, and the number over all rounds that is compared with it; {@code words}
 * describes that number. <em>Immutable.</em>
 */
public record Goal(String peer, String config, String figure, Bound bound, Measure measure, String words) {
    /** The name of the peer that goals are for, unless {@link #of} sets another one. */
    public static final String OURS = "guarded";

    public record Bound(Side side, double number) {
        boolean holds(double reached) {
            return side == Side.AT_MOST ? reached <= number : reached >= number;
        }

        @Override
        public String toString() {
            return (side == Side.AT_MOST ? "at most " : "at least ") + shown(number);
        }
    }

    public enum Side {
        /** Less is better. */
        AT_MOST,
        /** More is better. */
        AT_LEAST
    }

    /** The number over all rounds that is compared with the bound. */
    @FunctionalInterface
    public interface Measure {
        /** Returns the number that is compared with the bound, {@code null} if the required figures were not measured. */
        @Nullable
        Double of(Results results, Goal goal);
    }

    /** Creates a goal for the guarded cache: an upper bound in the worst round. */
    public static Goal everyRound(String config, String figure, double atMost) {
        return new Goal(OURS, config, figure, atMost(atMost), ours(Spread::most), "in every round");
    }

    /** Creates a goal for the guarded cache: a lower bound in the worst round. */
    public static Goal everyRoundAtLeast(String config, String figure, double atLeast) {
        return new Goal(OURS, config, figure, atLeast(atLeast), ours(Spread::least), "in every round");
    }

    /** Creates a goal for the median of all rounds. */
    public static Goal median(String config, String figure, double atMost) {
        return new Goal(OURS, config, figure, atMost(atMost), ours(Spread::median), "in the median");
    }

    /** Creates a goal for the ratio of the median to that of another peer. */
    public static Goal medianRatio(String config, String figure, String other, double atMost) {
        Measure measure = (results, goal) -> {
            Double ours = ours(Spread::median).of(results, goal);
            Double theirs = ours(Spread::median).of(results, goal.of(other));
            return ours == null || theirs == null ? null : (Double) (ours / theirs);
        };
        String words = "in the median, as a ratio to that of " + other;
        return new Goal(OURS, config, figure, atMost(atMost), measure, words);
    }

    /**
     * Creates a goal for the median of the ratios of single rounds to another peer: a slowdown of the machine for some seconds
     * then affects both peers.
     */
    public static Goal ratio(String config, String figure, String other, Bound bound) {
        return ratio(config, figure, other, bound, goal -> new Results.Place(other, goal.config()));
    }

    /** Creates a goal for the median of the ratios of single rounds to another set-up, in a workload whose set-ups alternate. */
    public static Goal ratioToConfig(String config, String figure, String other, double atMost) {
        return ratio(config, figure, other, atMost(atMost), goal -> new Results.Place(goal.peer(), other));
    }

    private static Goal ratio(
            String config, String figure, String other, Bound bound, Function<Goal, Results.Place> divisor) {
        Measure measure = (results, goal) -> {
            Spread ratios = results.ratio(goal.place(), divisor.apply(goal), goal.figure());
            return ratios == null ? null : (Double) ratios.median();
        };
        return new Goal(OURS, config, figure, bound, measure, "in the median of its ratios to that of " + other);
    }

    private Results.Place place() {
        return new Results.Place(peer, config);
    }

    private static Measure ours(ToDoubleFunction<Spread> measured) {
        return (results, goal) -> {
            Spread spread = results.spread(goal.peer(), goal.config(), goal.figure());
            return spread == null ? null : (Double) measured.applyAsDouble(spread);
        };
    }

    public static Bound atLeast(double number) {
        return new Bound(Side.AT_LEAST, number);
    }

    public static Bound atMost(double number) {
        return new Bound(Side.AT_MOST, number);
    }

    /** Returns the same goal for another guarded cache. */
    public Goal of(String otherPeer) {
        return new Goal(otherPeer, config, figure, bound, measure, words);
    }

    /** Returns in one line whether it was reached, {@code null} if the required figures were not measured. */
    public @Nullable String verdict(Results results) {
        Double reached = measure.of(results, this);
        if (reached == null) {
            return null;
        }
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
