package io.stampedeguard.internal.observe;

import io.stampedeguard.event.Advice;
import io.stampedeguard.internal.failure.Thrown;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts the faults of one source; logs one in ten seconds at most: an outage must not flood the log. <em>Thread-safe.</em> */
final class FaultLog {
    /** Operators configure the logger by this name; it does not change when classes move. */
    static final String LOGGER = "io.stampedeguard.StampedeGuardedCache";

    private static final Logger LOG = LoggerFactory.getLogger(LOGGER);
    private static final long PAUSE_NANOS = Duration.ofSeconds(10).toNanos();

    private final LongAdder count = new LongAdder();
    private final AtomicLong nextLineNanos;
    private final String cache;
    private final String source;
    private final TimeSource time;

    FaultLog(String cache, String source, TimeSource time) {
        this.cache = cache;
        this.source = source;
        this.time = time;
        this.nextLineNanos = new AtomicLong(time.monotonicNanos());
    }

    /** Logs an advice, which is given once. */
    static void advise(String cache, Advice advice, String words) {
        LOG.warn("cache '{}': {} ({})", cache, words, advice);
    }

    static void originStrained(String cache, String why) {
        LOG.warn("cache '{}': the origin is under strain; background loads are shed from now on: {}", cache, why);
    }

    static void originRecovered(String cache) {
        LOG.info("cache '{}': the origin has recovered; background loads run normally again", cache);
    }

    static void queueingBegan(String cache, Throwable failure) {
        LOG.warn(
                "cache '{}': changes get no answer from the store, and are queued from now on: {}",
                cache,
                Thrown.textOf(failure));
    }

    static void queueingEnded(String cache) {
        LOG.info("cache '{}': the store has answered all queued changes", cache);
    }

    static void queuedChangesLost(String cache, int number) {
        LOG.warn("cache '{}' was closed with {} queued changes, which other processes will not see", cache, number);
    }

    void add(Throwable fault) {
        count.increment();
        long now = time.monotonicNanos();
        long next = nextLineNanos.get();
        if (now - next >= 0 && nextLineNanos.compareAndSet(next, now + PAUSE_NANOS)) {
            LOG.warn(
                    "cache '{}': {} fault, {} since the cache was built", cache, source, count, Thrown.loggable(fault));
        }
    }

    long count() {
        return count.sum();
    }
}
