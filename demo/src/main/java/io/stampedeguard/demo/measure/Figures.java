package io.stampedeguard.demo.measure;

import io.stampedeguard.testbed.measure.Latencies;
import org.jspecify.annotations.Nullable;

/**
 * The figures of one scenario in one mode, over the whole fleet. <em>Immutable</em>, once all have been added.
 *
 * @param scenario the name of the scenario
 * @param mode how products were read
 * @param processes the number of processes
 * @param callers the number of callers in each process
 * @param releasedMicros when the callers were released, in microseconds since the epoch
 * @param latencies the latencies of the gets
 * @param queries the log of the database queries
 * @param redisCommands the number of commands that Redis ran
 * @param waited the number of gets that waited for the database, through their own load or that of another caller
 * @param stale the number of gets that returned a stale product
 * @param errors the number of failed gets, loads, and store calls
 * @param aftermath the recovery after a process was killed, if one was
 * @param attack the results of requests for nonexistent keys, if there were any
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
        @Nullable Attack attack) {
    /**
     * How long callers went without an answer after a process was killed. <em>Immutable.</em>
     *
     * @param firstAnswerMillis from the kill to the first answer
     * @param lastAnswerMillis from the kill to the last answer
     */
    public record Aftermath(double firstAnswerMillis, double lastAnswerMillis) {}

    /**
     * The results of an attack with nonexistent keys, and of the real users meanwhile. <em>Immutable</em>, once all have
     * been added.
     *
     * @param users the latencies of real users' gets
     * @param madeUpGets the number of gets for nonexistent keys
     * @param queriesForNothing the number of queries that found no row
     * @param madeUpKeysInRedis the number of nonexistent keys for which Redis has an entry in the end
     * @param wrongAnswers the number of gets with a wrong product, with no product although it exists, or with a product
     *     that does not exist
     * @param rows the number of products created meanwhile, one after the other, each announced by the process that created
     *     it
     * @param rowsFound how often another process then requested one and got it
     * @param rowsMissed how often another process then requested one and did not get it
     */
    public record Attack(
            Latencies users,
            long madeUpGets,
            long queriesForNothing,
            long madeUpKeysInRedis,
            long wrongAnswers,
            long rows,
            long rowsFound,
            long rowsMissed) {}

    /** Returns the number of callers in the fleet. */
    public int allCallers() {
        return processes * callers;
    }

    /** Returns the number of gets, failed ones included. */
    public long gets() {
        return latencies.count();
    }

    /** Returns the commands of a get, as a mean. */
    public double redisCommandsPerGet() {
        return (double) redisCommands / gets();
    }

    /** Returns the highest number of queries that ran at once in the fleet. */
    public int maxConcurrentQueries() {
        return queries.running().most();
    }
}
