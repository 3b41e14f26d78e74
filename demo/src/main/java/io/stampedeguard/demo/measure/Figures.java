package io.stampedeguard.demo.measure;

import io.stampedeguard.testbed.measure.Latencies;
import org.jspecify.annotations.Nullable;

/**
 * The figures of one scenario in one mode, over the whole fleet. <em>Immutable</em>, once all have been added.
 *
 * @param scenario the name of the scenario
 * @param mode how products were read
 * @param processes how many processes there were
 * @param callers how many callers each of them had
 * @param releasedMicros when the callers were released, in microseconds since the epoch
 * @param latencies of the gets
 * @param queries to the database
 * @param redisCommands how many commands Redis ran
 * @param waited how many gets waited for the database, through a load of their own or somebody else's
 * @param stale how many gets were answered with a stale product
 * @param errors how many gets, loads and store calls failed
 * @param aftermath how it went on where a process was killed
 * @param attack what became of made-up keys where these were asked for
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
     * Returns how many callers the fleet had.
     *
     * @return processes times callers
     */
    public int allCallers() {
        return processes * callers;
    }

    /**
     * Returns the number of answers that callers got.
     *
     * @return the gets, failed ones included
     */
    public long gets() {
        return latencies.count();
    }

    /**
     * Returns what a get cost Redis.
     *
     * @return commands, as a mean over the gets
     */
    public double redisCommandsPerGet() {
        return (double) redisCommands / gets();
    }

    /**
     * Returns the most queries that ran at once in the fleet.
     *
     * @return their number
     */
    public int maxConcurrentQueries() {
        return queries.running().most();
    }
}
