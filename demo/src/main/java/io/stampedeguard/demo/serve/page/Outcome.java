package io.stampedeguard.demo.serve.page;

import io.stampedeguard.demo.serve.figures.Count;
import io.stampedeguard.demo.serve.figures.Sample;
import io.stampedeguard.demo.serve.figures.Side;
import io.stampedeguard.demo.serve.figures.Tally;
import io.stampedeguard.testbed.program.JsonObject;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/**
 * The effect of an action on both fleets within some seconds: as a line in English, and as figures. Keys also expire without an
 * action, so the line also states the queries in as many seconds before. For one thread.
 */
final class Outcome {
    private static final double MILLIS_PER_SECOND = 1_000;
    private static final double SMALL_MILLIS = 10;

    private final String of;
    private final Count queries;
    private final Map<Side, Tally> before;
    private final Map<Side, Double> longest = new EnumMap<>(Side.class);
    private final Map<Side, Tally> earlier;
    private final int seconds;
    private int secondsLeft;

    /**
     * Creates an outcome: {@code queries} is the stated count, {@code before} are the counts at the time of the action, {@code
     * earlier} those as many seconds before that, empty if they are unknown.
     */
    Outcome(String of, Count queries, int seconds, Map<Side, Tally> before, Map<Side, Tally> earlier) {
        this.of = of;
        this.queries = queries;
        this.seconds = seconds;
        this.secondsLeft = seconds;
        this.before = before;
        this.earlier = earlier;
    }

    /** Adds the next second. Returns whether it was the last one. */
    boolean sees(Sample sample) {
        for (Side side : Side.values()) {
            longest.merge(side, sample.of(side).longestMillis(), Math::max);
        }
        secondsLeft--;
        return secondsLeft <= 0;
    }

    /** Returns the figures so far: of each fleet the queries since the action, and the slowest call, in the words of {@link #line}. */
    JsonObject figures(Map<Side, Tally> now) {
        JsonObject figures = new JsonObject()
                .text("of", of)
                .number("seconds", seconds - secondsLeft)
                .number("within", seconds);
        for (Side side : Side.values()) {
            figures.object(
                    side.toString(),
                    new JsonObject()
                            .number("queries", between(before, now, side).get(queries))
                            .text("slowest", duration(longest.getOrDefault(side, 0.0))));
        }
        return figures;
    }

    String line(Map<Side, Tally> now) {
        return of + ": " + line(Side.NAIVE, now) + " — " + line(Side.GUARDED, now);
    }

    private String line(Side side, Map<Side, Tally> now) {
        Tally tally = between(before, now, side);
        long count = tally.get(queries);
        long failures = tally.get(Count.FAILURES);
        return String.format(
                Locale.ROOT,
                "%s %,d %s in the %d s since%s, slowest call %s%s",
                side,
                count,
                count == 1 ? "query" : "queries",
                seconds,
                inAsManySecondsBefore(side),
                duration(longest.getOrDefault(side, 0.0)),
                failures == 0 ? "" : String.format(Locale.ROOT, ", %,d failed", failures));
    }

    private String inAsManySecondsBefore(Side side) {
        return earlier.isEmpty()
                ? ""
                : String.format(
                        Locale.ROOT,
                        " (%,d in the %d s before)",
                        between(earlier, before, side).get(queries),
                        seconds);
    }

    private static Tally between(Map<Side, Tally> from, Map<Side, Tally> to, Side side) {
        return to.getOrDefault(side, Tally.ZERO).minus(from.getOrDefault(side, Tally.ZERO));
    }

    private static String duration(double millis) {
        if (millis >= MILLIS_PER_SECOND) {
            return String.format(Locale.ROOT, "%.1f s", millis / MILLIS_PER_SECOND);
        }
        return String.format(Locale.ROOT, millis >= SMALL_MILLIS ? "%.0f ms" : "%.1f ms", millis);
    }
}
