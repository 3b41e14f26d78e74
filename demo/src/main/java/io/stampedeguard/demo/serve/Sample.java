package io.stampedeguard.demo.serve;

import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What both fleets did within a second.
 *
 * @param atMillis when it ended, since the epoch
 * @param redisRuns whether there is a Redis
 * @param slow whether the database is slow
 * @param seconds what each fleet did
 */
record Sample(long atMillis, boolean redisRuns, boolean slow, Map<Side, Second> seconds) {
    private static final double MEDIAN = 50;
    private static final double NINETY_NINTH = 99;

    /** The counts that are shown over time; of all others the totals do. */
    private static final Iterable<Count> PER_SECOND = List.of(Count.CALLS, Count.QUERIES, Count.STALE, Count.FAILURES);

    Sample {
        seconds = new EnumMap<>(seconds);
    }

    Second of(Side side) {
        Second second = seconds.get(side);
        if (second == null) {
            throw new IllegalStateException("nothing of fleet " + side);
        }
        return second;
    }

    Map<Side, Tally> totals() {
        Map<Side, Tally> totals = new EnumMap<>(Side.class);
        seconds.forEach((side, second) -> totals.put(side, second.total()));
        return totals;
    }

    String json() {
        Json json = new Json().with("at", atMillis).with("redis", redisRuns).with("slow", slow);
        for (Side side : Side.values()) {
            json.with(side.toString(), json(of(side)));
        }
        return json.toString();
    }

    private static Json json(Second second) {
        Json json = new Json()
                .with("processes", second.processes())
                .with("waiting", second.waiting())
                .with("p50", second.millisAt(MEDIAN))
                .with("p99", second.millisAt(NINETY_NINTH))
                .with("longest", second.longestMillis());
        PER_SECOND.forEach(count -> json.with(name(count), second.counted().get(count)));
        Json total = new Json();
        for (Count count : Count.values()) {
            total.with(name(count), second.total().get(count));
        }
        return json.with("total", total);
    }

    private static String name(Count count) {
        return count.name().toLowerCase(Locale.ROOT);
    }
}
