package io.stampedeguard.demo.scenario;

import io.stampedeguard.testbed.fleet.Message;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The parameters on which all processes of a run agree.
 *
 * @param processes the number of processes
 * @param callers the number of callers in each process
 * @param runMillis how long the scenarios with steady load run
 * @param seed the random seed of catalogue, traces, and pauses
 * @param orderLines the number of order lines in the catalogue
 * @param requests the number of requests in the built-in trace
 * @param trace the trace to replay instead
 */
public record Plan(
        int processes,
        int callers,
        int runMillis,
        long seed,
        int orderLines,
        int requests,
        @Nullable Path trace) {
    int allCallers() {
        return processes * callers;
    }

    public Message in(Message message) {
        return message.with("processes", processes)
                .with("callers", callers)
                .with("runMillis", runMillis)
                .with("seed", seed)
                .with("orderLines", orderLines)
                .with("requests", requests)
                .with("trace", trace == null ? "" : trace);
    }

    public static Plan of(Message message) {
        String trace = message.text("trace");
        return new Plan(
                (int) message.number("processes"),
                (int) message.number("callers"),
                (int) message.number("runMillis"),
                message.number("seed"),
                (int) message.number("orderLines"),
                (int) message.number("requests"),
                trace.isEmpty() ? null : Path.of(trace));
    }
}
