package io.stampedeguard.demo.measure;

import io.stampedeguard.testbed.measure.Latencies;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The figures of one scenario in one mode, over the whole fleet. Of the gets, {@code waited} waited for the database, through
 * their own load or that of another caller, and {@code stale} returned a stale product; {@code errors} counts failed gets, loads,
 * and store calls. The callers were released at {@code releasedMicros} since the epoch. If a process was killed, {@code
 * aftermath} is the recovery; {@code attack} is the result of requests for nonexistent keys, if any; {@code seconds} are the gets of
 * each second, if Redis was stopped, otherwise none. <em>Immutable</em>, once all
 * have been added.
 */
public record Figures(
        String scenario,
        Mode mode,
        int processes,
        int callers,
        long releasedMicros,
        Latencies latencies,
        QueryLog queries,
        long redisCommands,
        long waited,
        long stale,
        long errors,
        @Nullable Aftermath aftermath,
        @Nullable Attack attack,
        List<Latencies> seconds) {
    private static final long SECOND_MICROS = TimeUnit.SECONDS.toMicros(1);

    public Figures {
        seconds = List.copyOf(seconds);
    }

    /** How long callers went without an answer after a process was killed: from the kill to the first, and to the last answer. */
    public record Aftermath(double firstAnswerMillis, double lastAnswerMillis) {}

    /**
     * The results of an attack with nonexistent keys, and the latencies of the real users' gets meanwhile. An answer is wrong if
     * it is a wrong product, no product although it exists, or a product that does not exist; {@code nonexistentKeysInRedis} is the
     * number of nonexistent keys for which Redis has an entry in the end. Meanwhile {@code rows} products were created, one after
     * the other, each announced by the process that created it; {@code rowsFound} counts how often another process then requested
     * one and got it, {@code rowsMissed} how often it did not. <em>Immutable</em>, once all have been added.
     */
    public record Attack(
            Latencies users,
            long nonexistentGets,
            long queriesForNothing,
            long nonexistentKeysInRedis,
            long wrongAnswers,
            long rows,
            long rowsFound,
            long rowsMissed) {}

    public int allCallers() {
        return processes * callers;
    }

    /** Returns the number of gets, failed ones included. */
    public long gets() {
        return latencies.count();
    }

    /** Returns the number of queries that began in a second after the release. */
    public int queriesIn(int second) {
        return queries.begunBetween(begin(second), begin(second + 1));
    }

    /** Returns the largest number of queries at once in a second after the release. */
    public int mostQueriesIn(int second) {
        return queries.running().mostBetween(begin(second), begin(second + 1));
    }

    private long begin(int second) {
        return releasedMicros + second * SECOND_MICROS;
    }

    public int maxConcurrentQueries() {
        return queries.running().most();
    }
}
