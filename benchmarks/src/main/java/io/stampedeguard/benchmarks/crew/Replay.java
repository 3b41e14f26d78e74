package io.stampedeguard.benchmarks.crew;

import io.stampedeguard.testbed.trace.TraceFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * One process' share of the first {@code requests} of a trace, as fast as its callers can. The processes take turns: of four, the
 * first one replays every fourth request; its callers take them in order. All keys exist. <em>Immutable.</em>
 */
public record Replay(String key, Path trace, int requests, int index, int processes, int callers, Duration takes) {
    /** Returns the series whose keys are those of the trace. */
    Series series() {
        return Series.existing(key, requests)
                .by(callers)
                .paced(requests, Duration.ZERO)
                .loading(takes);
    }

    /** Reads the trace, and returns the keys of a caller; whoever asks first gets the next one. */
    IntFunction<IntFunction<@Nullable String>> keysOf() throws IOException {
        int[] keys = TraceFile.read(trace, requests);
        AtomicInteger turn = new AtomicInteger();
        IntFunction<@Nullable String> next = call -> {
            long at = index + (long) turn.getAndIncrement() * processes;
            return at < keys.length ? Series.key(key, keys[(int) at]) : null;
        };
        return caller -> next;
    }
}
