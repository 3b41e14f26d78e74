package io.stampedeguard.demo.report;

import io.stampedeguard.demo.measure.Aftermath;
import io.stampedeguard.demo.measure.Attack;
import io.stampedeguard.demo.measure.Figures;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Figures as one JSON object on one line. */
public final class JsonLine {
    private JsonLine() {}

    /**
     * Returns the figures.
     *
     * @param figures of one scenario in one mode
     * @return the line, without its end
     */
    public static String of(Figures figures) {
        return String.format(
                Locale.ROOT,
                "{\"scenario\":\"%s\",\"mode\":\"%s\",\"processes\":%d,\"callers\":%d,"
                        + "\"gets\":%d,\"queries\":%d,\"maxConcurrentQueries\":%d,"
                        + "\"p50Ms\":%.3f,\"p99Ms\":%.3f,\"maxMs\":%.3f,\"redisCommands\":%d,\"errors\":%d,"
                        + "\"waited\":%d,\"stale\":%d%s%s}",
                figures.scenario(), // a plain word, as is the mode: nothing to escape
                figures.mode(),
                figures.processes(),
                figures.callers(),
                figures.gets(),
                figures.queries().size(),
                figures.maxConcurrentQueries(),
                figures.latencies().millisAt(50),
                figures.latencies().millisAt(99),
                figures.latencies().millisAt(100),
                figures.redisCommands(),
                figures.errors(),
                figures.waited(),
                figures.stale(),
                aftermath(figures.aftermath()),
                attack(figures.attack()));
    }

    private static String aftermath(@Nullable Aftermath aftermath) {
        return aftermath == null
                ? ""
                : String.format(
                        Locale.ROOT,
                        ",\"firstAnswerMs\":%.3f,\"lastAnswerMs\":%.3f",
                        aftermath.firstAnswerMillis(),
                        aftermath.lastAnswerMillis());
    }

    private static String attack(@Nullable Attack attack) {
        return attack == null
                ? ""
                : String.format(
                        Locale.ROOT,
                        ",\"usersGets\":%d,\"usersP99Ms\":%.3f,\"wrongAnswers\":%d,\"madeUpGets\":%d,"
                                + "\"queriesForNothing\":%d,\"madeUpKeysInRedis\":%d,"
                                + "\"rows\":%d,\"rowsFound\":%d,\"rowsMissed\":%d",
                        attack.users().count(),
                        attack.users().millisAt(99),
                        attack.wrongAnswers(),
                        attack.madeUpGets(),
                        attack.queriesForNothing(),
                        attack.madeUpKeysInRedis(),
                        attack.rows(),
                        attack.rowsFound(),
                        attack.rowsMissed());
    }
}
