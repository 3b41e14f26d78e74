package io.stampedeguard.benchmarks.bench;

import io.stampedeguard.benchmarks.result.Result;
import io.stampedeguard.benchmarks.result.Results;
import io.stampedeguard.benchmarks.result.Second;
import io.stampedeguard.testbed.program.JsonObject;

/** A result, or one second of it, as one JSON object on one line. */
final class JsonLine {
    private JsonLine() {}

    static String of(Result result) {
        return withFigures(place(result), result).toString();
    }

    /** Returns the line of one second, whose figures are those of the result. */
    static String of(Result result, Second second) {
        JsonObject line = place(result).number("second", second.number()).text("phase", second.phase());
        return withFigures(line, result).text("breaker", second.breaker()).toString();
    }

    /** Returns the line of a round that failed; the peer has no further rounds in this set-up. */
    static String failed(String workload, Results.Place place, int round, String reason) {
        return place(workload, place.peer(), place.config(), round)
                .text("failed", reason)
                .toString();
    }

    private static JsonObject place(Result result) {
        return place(result.workload(), result.peer(), result.config(), result.round());
    }

    private static JsonObject place(String workload, String peer, String config, int round) {
        return new JsonObject()
                .text("workload", workload)
                .text("peer", peer)
                .text("config", config)
                .number("round", round);
    }

    private static JsonObject withFigures(JsonObject line, Result result) {
        result.figures().values().forEach((name, number) -> {
            if (number instanceof Long whole) {
                line.number(name, whole);
            } else {
                line.rounded(name, number.doubleValue(), 3);
            }
        });
        return line;
    }
}
