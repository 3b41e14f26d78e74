package io.stampedeguard.metrics;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Timer;
import io.stampedeguard.event.Operation;
import io.stampedeguard.event.OperationScope;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The timers of one cache's calls of its store, by command and by whether the store answered. <em>Thread-safe.</em> */
final class StoreCallTimers {
    private static final String NAME = "cache.stampede.store.calls";
    private static final String DESCRIPTION = "Calls of the shared store, by command and by whether it answered";

    private final Map<Operation, Timers> byCommand = new EnumMap<>(Operation.class);

    /** The timers of one command. */
    private record Timers(Timer answered, Timer failed) {
        Timer of(@Nullable Throwable failure) {
            return failure == null ? answered : failed;
        }
    }

    StoreCallTimers(MeterSet<?> meters) {
        Stream.of(Operation.values())
                .filter(Operation::isOfStore)
                .forEach(operation -> byCommand.put(
                        operation,
                        new Timers(timer(meters, operation, "answered"), timer(meters, operation, "failed"))));
    }

    private static Timer timer(MeterSet<?> meters, Operation operation, String outcome) {
        return meters.timer(
                NAME, DESCRIPTION, Buckets.STORE_CALLS, "command", TagValues.of(operation), "outcome", outcome);
    }

    /** Begins to time an operation by the clock of the registry, if it is a call of the store. */
    OperationScope begin(Operation operation, Clock clock) {
        Timers timers = byCommand.get(operation);
        if (timers == null) {
            return OperationScope.NONE;
        }
        long begun = clock.monotonicTime();
        return failure -> timers.of(failure).record(Duration.ofNanos(clock.monotonicTime() - begun));
    }
}
