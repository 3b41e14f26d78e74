package io.stampedeguard.benchmarks.bench;

import io.stampedeguard.benchmarks.result.Result;
import java.util.Locale;
import java.util.stream.Collectors;

/** A result as one JSON object on one line. */
final class JsonLine {
    private JsonLine() {}

    /** All names are plain words: there is nothing to escape. */
    static String of(Result result) {
        String figures = result.figures().values().entrySet().stream()
                .map(figure -> ",\"%s\":%s".formatted(figure.getKey(), number(figure.getValue())))
                .collect(Collectors.joining());
        return "{\"workload\":\"%s\",\"peer\":\"%s\",\"config\":\"%s\",\"round\":%d%s}"
                .formatted(result.workload(), result.peer(), result.config(), result.round(), figures);
    }

    private static String number(Number number) {
        return number instanceof Long ? number.toString() : String.format(Locale.ROOT, "%.3f", number.doubleValue());
    }
}
