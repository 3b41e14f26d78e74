package io.stampedeguard.demo.serve.page;

import io.stampedeguard.demo.scenario.Words;
import io.stampedeguard.demo.serve.figures.Count;
import io.stampedeguard.demo.serve.figures.Second;
import io.stampedeguard.demo.serve.figures.Tally;
import io.stampedeguard.testbed.program.JsonObject;

/** What happened in a fleet since the press of a button. <em>Immutable.</em> */
record Effect(long queries, long stuck, double slowestMillis, Tally counted) {
    static final Effect NONE = new Effect(0, 0, 0, Tally.ZERO);

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
        return Words.duration(slowestMillis);
    }

    JsonObject json() {
        return new JsonObject()
                .number("queries", queries)
                .number("stuck", stuck)
                .text("slowest", slowest());
    }
}
