package io.stampedeguard.demo.scenario;

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
}
