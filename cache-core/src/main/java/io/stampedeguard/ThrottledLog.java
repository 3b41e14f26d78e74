package io.stampedeguard;

import io.stampedeguard.event.FaultSource;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongArray;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Log lines about faults, at most one for each source in ten seconds, with the number of those that were left out: a
 * dead Redis under load must not drown the log. <em>Thread-safe.</em>
 */
final class ThrottledLog {
    private static final Logger LOG = LoggerFactory.getLogger(StampedeGuardedCache.class);
    private static final long PAUSE_NANOS = Duration.ofSeconds(10).toNanos();

    private final AtomicLongArray nextNanos = new AtomicLongArray(FaultSource.values().length);
    private final AtomicLongArray leftOut = new AtomicLongArray(FaultSource.values().length);
    private final String cache;
    private final TimeSource time;

    ThrottledLog(String cache, TimeSource time) {
        this.cache = cache;
        this.time = time;
        for (int i = 0; i < nextNanos.length(); i++) {
            nextNanos.set(i, time.monotonicNanos());
        }
    }

    void warn(FaultSource source, Throwable fault) {
        int at = source.ordinal();
        long now = time.monotonicNanos();
        long next = nextNanos.get(at);
        if (now - next < 0 || !nextNanos.compareAndSet(at, next, now + PAUSE_NANOS)) {
            leftOut.incrementAndGet(at);
            return;
        }
        LOG.warn("cache '{}': {} fault ({} more not logged)", cache, source, leftOut.getAndSet(at, 0), fault);
    }
}
