package io.stampedeguard.redis.chaos;

import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.measure.Latencies;
import io.stampedeguard.testbed.program.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What happened in each second of a run, in all processes, and the faults as they were made. <em>Immutable</em>, once it was
 * built.
 */
record ChaosTimeline(long seed, List<Second> seconds, List<Made> faults) {
    private static final int PLACES = 3;

    /** A fault as it was made, in time since the begin of the run. */
    record Made(Fault fault, Duration begin, Duration end) {
        boolean touches(int second) {
            return begin.toMillis() < (second + 1) * 1_000L && end.toMillis() >= second * 1_000L;
        }
    }

    /** The calls that ended in a second, the queries that began in it, and the breakers' states at its end; empty: unknown. */
    record Second(Latencies calls, long errors, long queries, Set<String> breakers) {
        static Second of(List<Message> reports) {
            Latencies calls = new Latencies();
            reports.forEach(report -> calls.addAll(report.text("calls")));
            return new Second(
                    calls,
                    reports.stream()
                            .mapToLong(report -> report.number("errors"))
                            .sum(),
                    reports.stream()
                            .mapToLong(report -> report.number("queries"))
                            .sum(),
                    reports.stream()
                            .map(report -> report.text("breaker"))
                            .filter(state -> !state.isEmpty())
                            .collect(Collectors.toCollection(TreeSet::new)));
        }

        /** Returns a percentile in milliseconds; 0 if no call ended. */
        double millisAt(double percentile) {
            return calls.count() == 0 ? 0 : calls.millisAt(percentile);
        }
    }

    static ChaosTimeline of(long seed, int length, List<Message> reports, List<Made> faults) {
        List<List<Message>> bySecond =
                Stream.<List<Message>>generate(ArrayList::new).limit(length).toList();
        for (Message report : reports) {
            int second = (int) report.number("second");
            if (second < length) {
                bySecond.get(second).add(report);
            }
        }
        return new ChaosTimeline(seed, bySecond.stream().map(Second::of).toList(), List.copyOf(faults));
    }

    /** Returns one JSON object for each second, and then one for each fault. */
    List<String> jsonLines() {
        Stream<JsonObject> all = Stream.concat(
                IntStream.range(0, seconds.size()).mapToObj(this::second),
                faults.stream()
                        .map(made -> new JsonObject()
                                .text("fault", made.fault())
                                .millis("beginMs", made.begin())
                                .millis("endMs", made.end())));
        return all.map(JsonObject::toString).toList();
    }

    private JsonObject second(int number) {
        Second second = seconds.get(number);
        String during = faults.stream()
                .filter(made -> made.touches(number))
                .map(made -> made.fault().toString())
                .collect(Collectors.joining(", "));
        return new JsonObject()
                .number("seed", seed)
                .number("second", number)
                .number("calls", second.calls().count())
                .number("errors", second.errors())
                .rounded("p50Ms", second.millisAt(50), PLACES)
                .rounded("p99Ms", second.millisAt(99), PLACES)
                .number("queries", second.queries())
                .text("breaker", second.breakers().isEmpty() ? null : String.join(",", second.breakers()))
                .text("faults", during.isEmpty() ? null : during);
    }
}
