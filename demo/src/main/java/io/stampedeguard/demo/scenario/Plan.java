package io.stampedeguard.demo.scenario;

import io.stampedeguard.testbed.fleet.Message;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The parameters on which all processes of a run agree. Scenarios with steady load run for {@code runMillis}. The seed is that of
 * catalogue, traces, and pauses. The built-in trace has {@code requests} requests; {@code trace} is replayed instead if given.
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
