package io.stampedeguard.demo.serve.figures;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.testbed.program.JsonObject;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The figures of both fleets for one second, which ended {@code atMillis} since the epoch, whether the database was {@code slow},
 * and whether the guarded fleet has {@code near} caches.
 */
public record Sample(long atMillis, boolean redisRuns, boolean slow, boolean near, Map<Side, Second> seconds) {
    private static final double MEDIAN = 50;
    private static final double NINETY_NINTH = 99;

    /** The counts that are shown over time; for all others the totals are enough. */
    private static final Iterable<Count> PER_SECOND = List.of(Count.CALLS, Count.QUERIES, Count.STALE, Count.FAILURES);

    public Sample {
        seconds = new EnumMap<>(seconds);
    }

    public Second of(Side side) {
        return requireNonNull(seconds.get(side), "no figures of a fleet");
    }

    public String json() {
        JsonObject json = new JsonObject()
                .number("at", atMillis)
                .flag("redis", redisRuns)
                .flag("slow", slow)
                .flag("near", near);
        for (Side side : Side.values()) {
            json.object(side.toString(), json(of(side)));
        }
        return json.toString();
    }

    private static JsonObject json(Second second) {
        JsonObject json = new JsonObject()
                .number("processes", second.processes())
                .text(
                        "states",
                        second.states().stream().map(ProcessState::toString).collect(Collectors.joining(" ")))
                .number("stuck", second.stuck())
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
