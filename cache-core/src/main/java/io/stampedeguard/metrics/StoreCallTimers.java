package io.stampedeguard.metrics;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Timer;
import io.stampedeguard.event.Step;
import io.stampedeguard.event.StepScope;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The timers of one cache's calls of its store, by command and by whether the store answered. <em>Thread-safe.</em> */
final class StoreCallTimers {
    private static final String NAME = "cache.stampede.store.calls";
    private static final String DESCRIPTION = "Calls of the shared store, by command and by whether it answered";

    private final Map<Step, Timers> byCommand = new EnumMap<>(Step.class);

    /** Of one command. */
    private record Timers(Timer answered, Timer failed) {
        Timer of(@Nullable Throwable failure) {
            return failure == null ? answered : failed;
        }
    }

    StoreCallTimers(MeterSet<?> meters) {
        Stream.of(Step.values())
                .filter(Step::isOfStore)
                .forEach(step -> byCommand.put(
                        step, new Timers(timer(meters, step, "answered"), timer(meters, step, "failed"))));
    }

    private static Timer timer(MeterSet<?> meters, Step step, String outcome) {
        return meters.timer(NAME, DESCRIPTION, Buckets.STORE_CALLS, "command", TagValues.of(step), "outcome", outcome);
    }

    /** Begins to measure a step, by the clock of the registry; one that is no call of the store is not measured. */
    StepScope begin(Step step, Clock clock) {
        Timers timers = byCommand.get(step);
        if (timers == null) {
            return StepScope.NONE;
        }
        long begun = clock.monotonicTime();
        return failure -> timers.of(failure).record(Duration.ofNanos(clock.monotonicTime() - begun));
    }
}
