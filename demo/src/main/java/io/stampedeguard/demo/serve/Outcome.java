package io.stampedeguard.demo.serve;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/**
 * Watches for some seconds what comes of something that was done, to say so in a line, in English. Keys expire and are
 * queried for all the time, so the line tells of as many seconds before, too. For one thread.
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
     * {@code queries} are those to be told of, {@code before} is what had been counted when it was done, {@code earlier}
     * what as many seconds before that; it may be empty, if nobody knows.
     */
    Outcome(String of, Count queries, int seconds, Map<Side, Tally> before, Map<Side, Tally> earlier) {
        this.of = of;
        this.queries = queries;
        this.seconds = seconds;
        this.secondsLeft = seconds;
        this.before = before;
        this.earlier = earlier;
    }

    /** Takes a look at the next second; tells whether that was the last one. */
    boolean sees(Sample sample) {
        for (Side side : Side.values()) {
            longest.merge(side, sample.of(side).longestMillis(), Math::max);
        }
        secondsLeft--;
        return secondsLeft <= 0;
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
