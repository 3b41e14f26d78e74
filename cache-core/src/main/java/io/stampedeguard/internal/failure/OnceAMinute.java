package io.stampedeguard.internal.failure;

import io.stampedeguard.time.TimeSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;

/**
 * A limit for reports of something that may occur very often, such as log lines: one at once, then at most one a minute, each
 * with the number of occurrences since the one before. <em>Thread-safe.</em> Does not block.
 */
public final class OnceAMinute {
    private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LongAdder unreported = new LongAdder();
    private final TimeSource time;
    private final AtomicLong nextNanos;

    /** Creates a limit whose first report is due at once. */
    public OnceAMinute(TimeSource time) {
        this.time = time;
        this.nextNanos = new AtomicLong(time.monotonicNanos());
    }

    /**
     * Counts an occurrence, and reports it on this thread if the last report was a minute ago or more, with the number of occurrences
     * since then. Of concurrent occurrences, one is reported.
     */
    public void count(LongConsumer report) {
        unreported.increment();
        long now = time.monotonicNanos();
        long next = nextNanos.get();
        if (now - next >= 0 && nextNanos.compareAndSet(next, now + MINUTE_NANOS)) {
            report.accept(unreported.sumThenReset());
        }
    }
}
