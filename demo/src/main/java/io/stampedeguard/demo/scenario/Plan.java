package io.stampedeguard.demo.scenario;

import io.stampedeguard.testbed.fleet.Message;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What all processes of a run must agree on.
 *
 * @param processes how many processes
 * @param callers how many callers in each
 * @param runMillis how long the scenarios with steady load run
 * @param seed what makes catalogue, traces and pauses repeatable
 * @param orderLines how many order lines the catalogue has
 * @param requests how many requests the built-in trace has
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
