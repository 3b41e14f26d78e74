package io.stampedeguard.demo.report;

import io.stampedeguard.demo.measure.Figures;
import io.stampedeguard.testbed.measure.Latencies;
import io.stampedeguard.testbed.program.JsonObject;
import java.util.List;
import java.util.stream.IntStream;

/** Figures as one JSON object on one line. */
public final class JsonLine {
    private static final int PLACES = 3;

    private JsonLine() {}

    public static String of(Figures figures) {
        JsonObject line = new JsonObject()
                .text("scenario", figures.scenario())
                .text("mode", figures.mode())
                .number("processes", figures.processes())
                .number("callers", figures.callers())
                .number("gets", figures.gets())
                .number("queries", figures.queries().size())
                .number("maxConcurrentQueries", figures.maxConcurrentQueries())
                .rounded("p50Ms", figures.latencies().millisAt(50), PLACES)
                .rounded("p99Ms", figures.latencies().millisAt(99), PLACES)
                .rounded("maxMs", figures.latencies().millisAt(100), PLACES)
                .number("redisCommands", figures.redisCommands())
                .number("errors", figures.errors())
                .number("waited", figures.waited())
                .number("stale", figures.stale());
        Figures.Aftermath aftermath = figures.aftermath();
        if (aftermath != null) {
            line.rounded("firstAnswerMs", aftermath.firstAnswerMillis(), PLACES)
                    .rounded("lastAnswerMs", aftermath.lastAnswerMillis(), PLACES);
        }
        Figures.Attack attack = figures.attack();
        if (attack != null) {
            line.number("usersGets", attack.users().count())
                    .rounded("usersP99Ms", attack.users().millisAt(99), PLACES)
                    .number("wrongAnswers", attack.wrongAnswers())
                    .number("nonexistentGets", attack.nonexistentGets())
                    .number("queriesForNothing", attack.queriesForNothing())
                    .number("nonexistentKeysInRedis", attack.nonexistentKeysInRedis())
                    .number("rows", attack.rows())
                    .number("rowsFound", attack.rowsFound())
                    .number("rowsMissed", attack.rowsMissed());
        }
        return line.toString();
    }

    /** Returns a line for each second; none if Redis was not stopped. It was from one second until before another. */
    public static List<String> ofSeconds(Figures figures, int stops, int starts) {
        return IntStream.range(0, figures.seconds().size())
                .mapToObj(second -> {
                    Latencies gets = figures.seconds().get(second);
                    JsonObject line = new JsonObject()
                            .text("scenario", figures.scenario())
                            .text("mode", figures.mode())
                            .number("second", second)
                            .flag("redisRuns", second < stops || second >= starts)
                            .number("gets", gets.count())
                            .number("queries", figures.queriesIn(second))
                            .number("maxConcurrentQueries", figures.mostQueriesIn(second));
                    return gets.count() == 0 ? line : line.rounded("p99Ms", gets.millisAt(99), PLACES);
                })
                .map(JsonObject::toString)
                .toList();
    }
}
