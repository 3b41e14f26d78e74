package io.stampedeguard.demo.serve;

import io.stampedeguard.demo.serve.figures.Count;
import io.stampedeguard.demo.serve.figures.Counts;
import io.stampedeguard.demo.serve.figures.ProcessState;
import io.stampedeguard.demo.serve.figures.Sample;
import io.stampedeguard.demo.serve.figures.Second;
import io.stampedeguard.demo.serve.figures.Side;
import io.stampedeguard.demo.serve.figures.Tally;
import io.stampedeguard.demo.serve.page.Feed;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.program.JsonObject;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** A feed of the page that is told what there would be if there were fleets. */
final class FleetlessFeed {
    private static final int WITHIN = 4;

    private final Feed feed = new Feed();

    Feed feed() {
        return feed;
    }

    /** Tells of a press without figures, always the same one, the second. */
    void tell(String sentence) {
        feed.press(2, press(2, "Expire the hot key", sentence));
    }

    /** Tells the figures of the first press, so many seconds later. */
    void press(int seconds, long naiveQueries, String naiveSlowest, long guardedQueries, String guardedSlowest) {
        feed.press(
                1,
                press(1, "Expire all keys", "All 61 keys expire at once.")
                        .number("seconds", seconds)
                        .number("within", WITHIN)
                        .flag("ended", seconds == WITHIN)
                        .object("naive", side(naiveQueries, naiveSlowest))
                        .object("guarded", side(guardedQueries, guardedSlowest)));
    }

    private static JsonObject press(int id, String button, String sentence) {
        return new JsonObject()
                .number("id", id)
                .number("at", 0)
                .text("button", button)
                .text("sentence", sentence);
    }

    private static JsonObject side(long queries, String slowest) {
        return new JsonObject().number("queries", queries).number("stuck", 0).text("slowest", slowest);
    }

    /** Tells a second: the queries in it, of each fleet, which are those since the start as well, and when it ended. */
    void sample(long naiveQueries, long guardedQueries, long atMillis) {
        Map<Side, Second> seconds = new EnumMap<>(Side.class);
        seconds.put(Side.NAIVE, second(naiveQueries));
        seconds.put(Side.GUARDED, second(guardedQueries));
        feed.sample(new Sample(atMillis, true, false, true, seconds));
    }

    private static Second second(long queries) {
        Counts counts = new Counts();
        counts.add(Count.QUERIES, queries);
        Tally counted = Tally.of(counts.moveInto(Message.of("report")));
        return new Second(List.of(ProcessState.FRESH, ProcessState.LOADING), counted, counted, 0, Second.noLatencies());
    }
}
