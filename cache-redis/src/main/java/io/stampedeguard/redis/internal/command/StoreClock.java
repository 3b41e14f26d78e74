package io.stampedeguard.redis.internal.command;

import io.stampedeguard.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * The clock of the Redis server, as estimated by this process:
 *
 * <ol>
 *   <li>an answer with the server's {@code TIME} was created about halfway between sending and receiving. This gives the offset
 *       to the monotonic clock of this process, so a jump of the local wall clock has no effect. The error is at most half of the
 *       round trip: 1.5 s after an answer that took 3 s. What may not be ahead of the server goes by the {@link
 *       #leastTimeMillis() least time} instead, for which the answer was created as it was received;
 *   <li>within 30 s, a slower answer does not replace a quicker one, which is more precise, unless both cannot be true: then the
 *       server's clock was set, or this is another server;
 *   <li>each answer to a request for a lease contains the time, as what is loaded is stored with it; of those of many keys the first;
 *   <li>after 30 s without an answer, one thread queries it; the others use the known offset;
 *   <li>if Redis does not answer, no thread queries it again for 5 s;
 *   <li>before the first answer, callers wait for it; without one, the local wall clock is used.
 * </ol>
 *
 * <p><em>Thread-safe.</em>
 */
public final class StoreClock {
    static final long REFRESH_NANOS = TimeUnit.SECONDS.toNanos(30);
    static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Masters of a cluster may differ by this much. */
    private static final long DRIFT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** By how much the clock of another master is usually behind, at most. */
    private static final long BETWEEN_MASTERS_MILLIS = 100;

    private static final Duration FIRST_ANSWER = Duration.ofSeconds(1);
    private static final Duration BRIEFLY = Duration.ofMillis(20);

    private final TimeSource time;
    private final Function<Duration, Long> server;
    private final AtomicBoolean asking = new AtomicBoolean();
    private final CountDownLatch asked = new CountDownLatch(1);
    private volatile Reading reading;
    private volatile long askAtNanos;

    /**
     * Creates a clock; {@code server} returns the server's time in nanoseconds since the epoch, with a limit on the wait for a
     * connection.
     */
    public StoreClock(TimeSource time, Function<Duration, Long> server) {
        this.time = time;
        this.server = server;
        long now = time.monotonicNanos();
        reading = new Reading(TimeUnit.MILLISECONDS.toNanos(time.wallMillis()) - now, now, Long.MAX_VALUE);
        askAtNanos = now;
    }

    public long currentTimeMillis() {
        if (time.monotonicNanos() - askAtNanos >= 0) {
            ask();
        }
        return TimeUnit.NANOSECONDS.toMillis(reading.offsetNanos + time.monotonicNanos());
    }

    /**
     * Returns the earliest time that the server's clock can show now, without a request; 0 if no answer has contained it. Behind
     * the server's clock by less than the round trip of the answer that is known. Ahead of it only by what it was set back since
     * that answer, or is behind the one of the master that gave it, or has drifted since: at most 30 ms in 30 s, if each clock
     * gains or loses at most 0.05 %.
     */
    long leastTimeMillis() {
        Reading known = reading;
        return known.roundTripNanos == Long.MAX_VALUE
                ? 0
                : TimeUnit.NANOSECONDS.toMillis(
                        known.offsetNanos - (known.roundTripNanos + 1) / 2 + time.monotonicNanos());
    }

    /**
     * Returns the earliest time that the server's clock can have shown at a time of this process's clock; 0 if that is unknown, or the
     * time is not over. Ahead of it by no more than {@link #leastTimeMillis()} is, less another allowance on a cluster.
     */
    long leastTimeMillisAt(long wallMillis, boolean isOfCluster) {
        long least = leastTimeMillis();
        long ageMillis = time.wallMillis() - wallMillis;
        if (least == 0 || ageMillis < 0) {
            return 0;
        }
        long precision = 1 + (isOfCluster ? BETWEEN_MASTERS_MILLIS : 0); // both clocks are read in whole milliseconds
        return Math.max(0, least - ageMillis - precision);
    }

    /** Processes the server's time in the answer to a command that was sent at a (monotonic) time. */
    public void learn(long serverNanos, long sentNanos) {
        Reading known = reading;
        Reading latest = reading(serverNanos, sentNanos);
        if (latest.roundTripNanos <= known.roundTripNanos
                || latest.learntAtNanos - known.learntAtNanos >= REFRESH_NANOS
                || latest.contradicts(known)) {
            use(latest);
        }
    }

    /** Uses the server's time in such an answer in any case: what is known has proved to be wrong. */
    void correct(long serverNanos, long sentNanos) {
        use(reading(serverNanos, sentNanos));
    }

    private Reading reading(long serverNanos, long sentNanos) {
        long now = time.monotonicNanos();
        long roundTripNanos = now - sentNanos;
        return new Reading(serverNanos - (sentNanos + roundTripNanos / 2), now, roundTripNanos);
    }

    private void use(Reading latest) {
        reading = latest;
        askAtNanos = latest.learntAtNanos + REFRESH_NANOS;
        asked.countDown();
    }

    /** Returns the time in the first two elements of an answer, seconds and microseconds as {@code TIME} returns them. */
    static long nanosIn(List<?> answer) {
        return TimeUnit.SECONDS.toNanos(number(answer.get(0))) + TimeUnit.MICROSECONDS.toNanos(number(answer.get(1)));
    }

    private static long number(Object digits) {
        return Long.parseLong(new String((byte[]) digits, StandardCharsets.US_ASCII));
    }

    private void ask() {
        if (!asking.compareAndSet(false, true)) {
            awaitFirstAnswer();
            return;
        }
        long sent = time.monotonicNanos();
        try {
            if (sent - askAtNanos >= 0) {
                learn(server.apply(asked.getCount() == 0 ? BRIEFLY : FIRST_ANSWER), sent);
            }
        } catch (RuntimeException unanswered) {
            askAtNanos = time.monotonicNanos() + RETRY_NANOS;
        } finally {
            asking.set(false);
            asked.countDown();
        }
    }

    private void awaitFirstAnswer() {
        try {
            time.await(asked, FIRST_ANSWER.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * One comparison of the clocks: the server's minus the monotonic one, and when. The round trip is twice the greatest error.
     */
    private record Reading(long offsetNanos, long learntAtNanos, long roundTripNanos) {
        boolean contradicts(Reading other) {
            long greatestError = roundTripNanos / 2 + other.roundTripNanos / 2 + DRIFT_NANOS;
            return Math.abs(offsetNanos - other.offsetNanos) > greatestError;
        }
    }
}
