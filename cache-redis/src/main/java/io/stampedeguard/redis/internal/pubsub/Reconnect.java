package io.stampedeguard.redis.internal.pubsub;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A backoff for reconnects: none, then growing pauses up to 1 s, with jitter, no longer than those of the circuit breaker's probes:
 * until they are connected again, near caches read each key from a server that has just come back. 30 s after a refusal, which
 * lasts until an operator acts. <em>Thread-safe.</em>
 */
public final class Reconnect {
    private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int MOST = 10;
    private static final long REFUSED_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final AtomicInteger failures = new AtomicInteger();
    private volatile long atNanos;

    public Reconnect(long nowNanos) {
        atNanos = nowNanos;
    }

    /** Returns the wait in nanoseconds; zero or less for none. */
    public long delayNanos(long nowNanos) {
        return atNanos - nowNanos;
    }

    public void failed(long nowNanos) {
        int before = failures.getAndUpdate(count -> Math.min(count + 1, MOST));
        atNanos = nowNanos + (before == 0 ? 0 : jittered(Math.min(LONGEST_NANOS, FIRST_NANOS << before)));
    }

    public void refused(long nowNanos) {
        atNanos = nowNanos + jittered(REFUSED_NANOS);
    }

    public void succeeded() {
        failures.set(0);
    }

    private static long jittered(long nanos) {
        return ThreadLocalRandom.current().nextLong(nanos / 2, nanos + 1);
    }
}
