package io.stampedeguard.redis.chaos;

import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.measure.Latencies;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

/** The calls and queries of a process, second by second. <em>Thread-safe.</em> */
final class Activity {
    private final AtomicReference<Second> now = new AtomicReference<>(new Second());

    private static final class Second {
        private final Latencies calls = new Latencies();
        private final LongAdder errors = new LongAdder();
        private final LongAdder queries = new LongAdder();
    }

    void call(long tookNanos, boolean answered) {
        Second second = now.get();
        second.calls.record(tookNanos);
        second.errors.add(answered ? 0 : 1);
    }

    void query() {
        now.get().queries.increment();
    }

    /** Ends a second; what is recorded in this very moment may be lost. */
    Message next(int second, String breaker) {
        Second over = now.getAndSet(new Second());
        return Message.of("second")
                .with("second", second)
                .with("calls", over.calls.encode())
                .with("errors", over.errors.sum())
                .with("queries", over.queries.sum())
                .with("breaker", breaker);
    }
}
