package io.stampedeguard.demo.serve.figures;

import io.stampedeguard.testbed.program.JsonObject;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The figures of both fleets for one second, which ended {@code atMillis} since the epoch, and whether the database was {@code
 * slow}.
 */
public record Sample(long atMillis, boolean redisRuns, boolean slow, Map<Side, Second> seconds) {
    private static final double MEDIAN = 50;
    private static final double NINETY_NINTH = 99;

    /** The counts that are shown over time; for all others the totals are enough. */
    private static final Iterable<Count> PER_SECOND = List.of(Count.CALLS, Count.QUERIES, Count.STALE, Count.FAILURES);

    public Sample {
        seconds = new EnumMap<>(seconds);
    }

    public Second of(Side side) {
        Second second = seconds.get(side);
        if (second == null) {
            throw new IllegalStateException("no figures of fleet " + side);
        }
        return second;
    }

    public Map<Side, Tally> totals() {
        Map<Side, Tally> totals = new EnumMap<>(Side.class);
        seconds.forEach((side, second) -> totals.put(side, second.total()));
        return totals;
    }

    public String json() {
        JsonObject json =
                new JsonObject().number("at", atMillis).flag("redis", redisRuns).flag("slow", slow);
        for (Side side : Side.values()) {
            json.object(side.toString(), json(of(side)));
        }
        return json.toString();
    }

    private static JsonObject json(Second second) {
        JsonObject json = new JsonObject()
                .number("processes", second.processes())
                .number("waiting", second.waiting())
                .rounded("p50", second.millisAt(MEDIAN), 1)
                .rounded("p99", second.millisAt(NINETY_NINTH), 1)
                .rounded("longest", second.longestMillis(), 1);
        PER_SECOND.forEach(count -> json.number(name(count), second.counted().get(count)));
        JsonObject total = new JsonObject();
        for (Count count : Count.values()) {
            total.number(name(count), second.total().get(count));
        }
        return json.object("total", total);
    }

    private static String name(Count count) {
        return count.name().toLowerCase(Locale.ROOT);
    }
}
