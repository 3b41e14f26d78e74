package io.stampedeguard.benchmarks.bench;

import io.stampedeguard.benchmarks.result.Result;
import io.stampedeguard.testbed.program.JsonObject;

/** A result as one JSON object on one line. */
final class JsonLine {
    private JsonLine() {}

    static String of(Result result) {
        JsonObject line = new JsonObject()
                .text("workload", result.workload())
                .text("peer", result.peer())
                .text("config", result.config())
                .number("round", result.round());
        result.figures().values().forEach((name, number) -> {
            if (number instanceof Long whole) {
                line.number(name, whole);
            } else {
                line.rounded(name, number.doubleValue(), 3);
            }
        });
        return line.toString();
    }
}
