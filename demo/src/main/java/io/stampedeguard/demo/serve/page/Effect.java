package io.stampedeguard.demo.serve.page;

import io.stampedeguard.demo.serve.figures.Count;
import io.stampedeguard.demo.serve.figures.Second;
import io.stampedeguard.demo.serve.figures.Tally;
import io.stampedeguard.testbed.program.JsonObject;
import java.util.Locale;

/** What happened in a fleet since the press of a button. <em>Immutable.</em> */
record Effect(long queries, long stuck, double slowestMillis, Tally counted) {
    static final Effect NONE = new Effect(0, 0, 0, Tally.ZERO);

    private static final double MILLIS_PER_SECOND = 1_000;
    private static final double SMALL_MILLIS = 10;

    /** Returns this effect with a second more, of which only the extremes count. */
    Effect with(Second second) {
        return new Effect(
                queries, Math.max(stuck, second.stuck()), Math.max(slowestMillis, second.longestMillis()), counted);
    }

    /** Returns this effect with the counts since the press, among them those of the queries that matter. */
    Effect with(Tally since, Count queriesThatMatter) {
        return new Effect(since.get(queriesThatMatter), stuck, slowestMillis, since);
    }

    String slowest() {
        if (slowestMillis >= MILLIS_PER_SECOND) {
            return String.format(Locale.ROOT, "%.1f s", slowestMillis / MILLIS_PER_SECOND);
        }
        return String.format(Locale.ROOT, slowestMillis >= SMALL_MILLIS ? "%.0f ms" : "%.1f ms", slowestMillis);
    }

    JsonObject json() {
        return new JsonObject()
                .number("queries", queries)
                .number("stuck", stuck)
                .text("slowest", slowest());
    }
}
