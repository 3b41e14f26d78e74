package io.stampedeguard.redis.internal.connect;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import io.stampedeguard.event.BreakerState;
import io.stampedeguard.internal.failure.CallbackLog;
import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * The circuit breaker in front of one server, so that no caller pays for a timeout that others have paid for:
 *
 * <ol>
 *   <li>it opens if two of the last four exchanges had no answer, or if four in a row were slow. An error reply is an answer.
 *       Exchanges that were under way together count once: a stall leaves all of them without one;
 *   <li>callers' exchanges are recorded only <em>in doubt</em>: from one without an answer on, until four in a row were prompt.
 *       While all is well, an exchange costs a few volatile reads, and one of the clock;
 *   <li>a slow exchange of a caller proves nothing: its reply may be long, and its thread may have been paused. It puts the
 *       server in doubt, and only the PINGs that follow count as slow: if one takes longer than the fastest exchange by more than
 *       a limit, and by how late this process is itself;
 *   <li>in doubt, the server also gets a PING in the background every 10 ms, so that one lost answer is not followed by a guess.
 *       After an exchange without an answer, callers wait up to half a second for the first PING: if that was sent, and
 *       has no answer either, it opens, and no caller pays for two timeouts;
 *   <li>while it is open, exchanges fail at once. After jittered pauses, a <em>probe</em> in the background, one at a time, sends
 *       a few PINGs. If each of them is answered promptly, the circuit breaker closes;
 *   <li>the result of an exchange that began before the last change of the state proves nothing either.
 * </ol>
 *
 * <p><em>Thread-safe.</em> No lock is held during an exchange, or while a change of the state is reported.
 */
public final class StoreBreaker {
    private static final int WINDOW = 4;
    private static final float FAILED_PERCENT = 50;
    private static final float SLOW_PERCENT = 100;
    private static final int PROBE_PINGS = 3;
    static final long BETWEEN_PINGS_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    static final long BRIEFLY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int NOT_CLOSED = -1;
    private static final Logger LOG = LoggerFactory.getLogger(LoggerNames.STORE);

    private final CircuitBreaker breaker;
    private final Breakers all;
    private final String where;
    private final Probe probe;
    private final long slowNanos;
    private final BackgroundThreads threads;
    private final TimeSource time;
    private final AtomicBoolean looking = new AtomicBoolean();
    private volatile BreakerState state = BreakerState.CLOSED;
    private volatile long changedNanos;
    private volatile long fastestNanos = Long.MAX_VALUE;
    private volatile @Nullable RuntimeException lastFailure;
    /** The failure of all exchanges that are not begun, until there is another reason: there may be very many. */
    private volatile Open refusal = new Open(null);

    /** Opens when the first PING after an exchange without an answer was answered or not. */
    private volatile CountDownLatch pinged = new CountDownLatch(0);

    /** When the last exchange without an answer was noted; guarded by this. */
    private long unansweredNanos;

    /** When the PING that callers wait for was sent; {@link Long#MAX_VALUE} if it waits for others' connections. */
    private volatile long pingSentNanos = Long.MAX_VALUE;

    /** How many exchanges in a row must be prompt before the server is not in doubt; {@link #NOT_CLOSED} if it is not asked. */
    private volatile int doubts;

    StoreBreaker(Breakers all, String where, Probe probe, Duration slow, BackgroundThreads threads, TimeSource time) {
        this.all = all;
        this.where = where;
        this.probe = probe;
        this.slowNanos = slow.toNanos();
        this.threads = threads;
        this.time = time;
        this.changedNanos = time.monotonicNanos();
        this.unansweredNanos = changedNanos;
        this.breaker = CircuitBreaker.of(
                "store",
                CircuitBreakerConfig.custom()
                        .slidingWindow(WINDOW, WINDOW, SlidingWindowType.COUNT_BASED)
                        .failureRateThreshold(FAILED_PERCENT)
                        .slowCallRateThreshold(SLOW_PERCENT)
                        .slowCallDurationThreshold(slow)
                        .permittedNumberOfCallsInHalfOpenState(1)
                        .build());
        fillWindow();
    }

    /** A way to ask the server whether it answers. */
    @FunctionalInterface
    public interface Probe {
        /**
         * Sends a PING, and returns how long the exchange took, without the wait for a connection; {@code sending} is called when
         * there is one, or is to be opened. Throws what Jedis throws.
         */
        long pingNanos(Runnable sending);
    }

    /** The failure of exchanges that were not begun, of many threads: without a stack trace. */
    public static final class Open extends JedisConnectionException {
        private final @Nullable RuntimeException why;

        /** Creates the failure; {@code why} is what opened the circuit breaker, {@code null} if the server is slow. */
        Open(@Nullable RuntimeException why) {
            super("the circuit breaker is open: " + reason(why));
            this.why = why;
        }

        @Override
        @SuppressWarnings("UnsynchronizedOverridesSynchronized") // it does nothing
        public Throwable fillInStackTrace() {
            return this;
        }
    }

    /** What an exchange proves about the server. */
    private enum Evidence {
        PROMPT,
        SLOW,
        UNANSWERED,
        NONE
    }

    /** Throws {@link Open} if no exchange is to be begun now. May wait briefly, if the last one had no answer. */
    public void check() {
        if (doubts != 0) {
            check(BRIEFLY_NANOS);
        }
    }

    /** Otherwise identical to the other method, for a caller that waits no longer than its turn lasts, and once in it. */
    void check(Turn turn) {
        if (doubts != 0) {
            long beganNanos = time.monotonicNanos();
            check(Math.min(BRIEFLY_NANOS - turn.doubtedNanos(), turn.leftNanos(beganNanos)));
            turn.doubted(time.monotonicNanos() - beganNanos);
        }
    }

    private void check(long patienceNanos) {
        if (all.isExempt()) {
            return;
        }
        if (doubts > 0 && !awaitPing(patienceNanos) && isSilent()) {
            record(Evidence.UNANSWERED, time.monotonicNanos());
        }
        Open refusal = refusalIfOpen();
        if (refusal != null) {
            throw refusal;
        }
    }

    /** Returns the failure of the exchanges of this thread while none is begun, {@code null} while they are. Does not wait. */
    public @Nullable Open refusalIfOpen() {
        return doubts == NOT_CLOSED && !all.isExempt() ? refusal() : null;
    }

    private Open refusal() {
        RuntimeException why = lastFailure;
        Open last = refusal;
        if (!Objects.equals(last.why, why)) { // no exception equals another
            last = new Open(why);
            refusal = last;
        }
        return last;
    }

    private static String reason(@Nullable RuntimeException failure) {
        return failure == null ? "the server is slow" : RedisFailure.reason(failure);
    }

    /** Returns what is wrong with the server, as a sentence without its end. */
    String condition() {
        RuntimeException why = lastFailure;
        return "Redis" + where + (why == null ? " is slow" : " does not answer: " + reason(why));
    }

    private boolean awaitPing(long patienceNanos) {
        try {
            return time.await(pinged, patienceNanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true; // proves nothing
        }
    }

    /**
     * Returns whether a PING has had no answer for half as long as callers wait: it may have been sent after the caller began to.
     * One that waits for others' connections proves nothing.
     */
    private boolean isSilent() {
        long sent = pingSentNanos;
        return sent != Long.MAX_VALUE && time.monotonicNanos() - sent >= BRIEFLY_NANOS / 2;
    }

    /** Notes an answer, also an error reply, to an exchange that began at a (monotonic) time. */
    public void answered(long sentNanos) {
        long tookNanos = time.monotonicNanos() - sentNanos;
        if (isSlow(tookNanos)) {
            suspect();
        } else if (doubts > 0) {
            record(Evidence.PROMPT, sentNanos);
        }
    }

    /** Notes the failure of an exchange that began at a (monotonic) time. */
    public void failed(long sentNanos, RuntimeException failure) {
        if (isUnanswered(failure)) {
            lastFailure = failure;
            record(Evidence.UNANSWERED, sentNanos);
        }
    }

    private static boolean isUnanswered(RuntimeException failure) {
        return failure instanceof JedisConnectionException
                && !(failure instanceof Open)
                && RedisFailure.isOfServer(failure);
    }

    BreakerState state() {
        return state;
    }

    boolean isInDoubt() {
        return doubts > 0;
    }

    private boolean isSlow(long tookNanos) {
        long fastest = fastestNanos;
        if (tookNanos < fastest) {
            fastestNanos = tookNanos;
            return false;
        }
        return tookNanos - fastest > slowNanos;
    }

    private void suspect() {
        if (doubts == 0) {
            synchronized (this) {
                doubts = doubts == 0 ? WINDOW : doubts;
            }
        }
        if (doubts > 0) {
            look();
        }
    }

    private void record(Evidence evidence, long sentNanos) {
        boolean opens;
        synchronized (this) {
            if (doubts == NOT_CLOSED || all.isClosed() || sentNanos - changedNanos < 0) {
                return;
            }
            if (evidence == Evidence.UNANSWERED) {
                if (sentNanos - unansweredNanos < 0) {
                    return;
                }
                unansweredNanos = time.monotonicNanos();
            }
            report(evidence);
            opens = breaker.getState() != CircuitBreaker.State.CLOSED;
            if (!opens) {
                pinged = evidence == Evidence.UNANSWERED && pinged.getCount() == 0 ? new CountDownLatch(1) : pinged;
                doubts = evidence == Evidence.PROMPT ? Math.max(0, doubts - 1) : WINDOW;
            } else {
                doubts = NOT_CLOSED;
                changed(BreakerState.OPEN);
            }
        }
        if (opens) {
            opened(evidence);
        } else if (evidence != Evidence.PROMPT) {
            look();
        }
    }

    private void report(Evidence evidence) {
        switch (evidence) {
            case PROMPT -> breaker.onSuccess(0, TimeUnit.NANOSECONDS);
            case SLOW -> breaker.onSuccess(slowNanos + 1, TimeUnit.NANOSECONDS);
            default -> breaker.onError(0, TimeUnit.NANOSECONDS, refusal);
        }
    }

    /** So that the share of failures is one of four exchanges, however few there were. */
    private void fillWindow() {
        for (int i = 0; i < WINDOW; i++) {
            report(Evidence.PROMPT);
        }
    }

    private void changed(BreakerState now) {
        state = now;
        changedNanos = time.monotonicNanos();
        all.changed();
    }

    private void opened(Evidence evidence) {
        RuntimeException failure = evidence == Evidence.SLOW ? null : lastFailure;
        lastFailure = failure;
        probeLater(); // first: whatever the log and listeners do, it closes again
        if (failure == null) {
            LOG.debug("The circuit breaker in front of Redis{} is open: it is slow", where);
        } else {
            CallbackLog.debug(LOG, "The circuit breaker in front of Redis" + where + " is open", failure);
        }
        all.tell();
    }

    /** Has the server looked at in the background while it is in doubt, unless that is under way. */
    private void look() {
        if (!all.isClosed()
                && looking.compareAndSet(false, true)
                && !threads.tryToExecute(this::lookUntilThereIsNoDoubt)) {
            looking.set(false);
            pinged.countDown();
        }
    }

    private void lookUntilThereIsNoDoubt() {
        Evidence evidence = Evidence.PROMPT;
        try {
            while (doubts > 0 && evidence != Evidence.NONE && !all.isClosed()) {
                CountDownLatch awaited = pinged;
                long beganNanos = time.monotonicNanos();
                evidence = ping(awaited);
                if (evidence != Evidence.NONE) {
                    record(evidence, beganNanos);
                }
                awaited.countDown();
            }
        } finally {
            looking.set(false);
            pinged.countDown();
        }
        if (doubts > 0 && evidence != Evidence.NONE) { // in doubt again since the last look
            look();
        }
    }

    /** Sends a PING, and then waits for a moment, to see how late this process is; those who await the answer do not. */
    private Evidence ping(CountDownLatch awaited) {
        try {
            long tookNanos = probe.pingNanos(() -> pingSentNanos = time.monotonicNanos());
            awaited.countDown();
            long lateNanos = lateNanos();
            return isSlow(tookNanos) && tookNanos - lateNanos - fastestNanos > slowNanos
                    ? Evidence.SLOW
                    : Evidence.PROMPT;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Evidence.NONE;
        } catch (RuntimeException failure) {
            if (!isUnanswered(failure)) {
                return Evidence.NONE;
            }
            lastFailure = failure;
            return Evidence.UNANSWERED;
        } finally {
            pingSentNanos = Long.MAX_VALUE;
        }
    }

    /** Waits for a moment, and returns by how much too long. */
    private long lateNanos() throws InterruptedException {
        long dueNanos = time.monotonicNanos() + BETWEEN_PINGS_NANOS;
        time.await(new CountDownLatch(1), BETWEEN_PINGS_NANOS);
        return Math.max(0, time.monotonicNanos() - dueNanos);
    }

    private void probeLater() {
        threads.later(ThreadLocalRandom.current().nextLong(LONGEST_PAUSE_NANOS / 2, LONGEST_PAUSE_NANOS), this::probe);
    }

    private void probe() {
        if (all.isClosed()) {
            return;
        }
        synchronized (this) {
            breaker.transitionToHalfOpenState();
            breaker.tryAcquirePermission();
            changed(BreakerState.HALF_OPEN);
        }
        Evidence evidence = Evidence.NONE;
        try {
            all.tell();
            evidence = probed();
        } finally { // also after an Error
            probed(evidence);
        }
    }

    private Evidence probed() {
        Evidence evidence = Evidence.PROMPT;
        for (int i = 0; i < PROBE_PINGS && evidence == Evidence.PROMPT; i++) {
            evidence = ping(pinged);
        }
        return evidence;
    }

    private void probed(Evidence evidence) {
        synchronized (this) {
            report(evidence);
            if (evidence == Evidence.PROMPT) {
                fillWindow();
                changed(BreakerState.CLOSED);
                doubts = 0; // last: from now on exchanges begin
            } else {
                changed(BreakerState.OPEN);
            }
        }
        if (evidence == Evidence.PROMPT) {
            LOG.debug("The circuit breaker in front of Redis{} is closed", where);
        }
        if (evidence != Evidence.PROMPT) {
            probeLater();
        }
        all.tell();
    }
}
