package io.stampedeguard.redis.internal.connect;

import io.stampedeguard.event.BreakerState;
import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.time.TimeSource;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToLongFunction;
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
 *   <li>the result of an exchange that began before the last change of the state proves nothing either;
 *   <li>the master of a cluster is used after the others while it is in doubt, while this is not closed, and while its exchanges
 *       are <em>late</em>: some are under way, and none was answered for a tenth of a second.
 * </ol>
 *
 * <p><em>Thread-safe.</em> No lock is held during an exchange, or while a change of the state is reported.
 */
public final class ServerBreaker {
    private static final int WINDOW = 4;
    private static final List<Evidence> ALL_PROMPT = Collections.nCopies(WINDOW, Evidence.PROMPT);
    private static final int MOST_UNANSWERED = 1;
    private static final int PROBE_PINGS = 3;
    static final long BETWEEN_PINGS_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    static final long BRIEFLY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final Logger LOG = LoggerFactory.getLogger(LoggerNames.STORE);

    private final AtomicBoolean looking = new AtomicBoolean();
    private final Breakers all;
    private final String where;
    private final ToLongFunction<Runnable> pingNanos;
    private final TimeSource time;

    /** The last exchanges while this was in doubt, the first of which is the oldest; guarded by this. */
    private final Deque<Evidence> window = new ArrayDeque<>(ALL_PROMPT);

    /** When the state has changed, and when the last exchange without an answer was noted; guarded by this. */
    private long changedNanos;

    private long unansweredNanos;
    private volatile BreakerState state = BreakerState.CLOSED;

    /** Whether an exchange in the window was not prompt. */
    volatile boolean isInDoubt;

    private volatile long fastestNanos = Long.MAX_VALUE;

    /** The failure of all exchanges that are not begun, until there is another reason: there may be very many. */
    private volatile Open refusal = new Open(null);

    /** Opens when the first PING after an exchange without an answer was answered or not. */
    private volatile CountDownLatch pinged = new CountDownLatch(0);

    /** When the PING that callers wait for was sent; {@link Long#MAX_VALUE} if it waits for others' connections. */
    private volatile long pingSentNanos = Long.MAX_VALUE;

    /** The exchanges with the master of a cluster that are under way, and since when none was answered. */
    private final AtomicInteger underWay = new AtomicInteger();

    private volatile long quietSinceNanos;

    ServerBreaker(Breakers all, String where, ToLongFunction<Runnable> pingNanos) {
        this.all = all;
        this.where = where;
        this.pingNanos = pingNanos;
        this.time = all.time;
        this.changedNanos = time.monotonicNanos();
        this.unansweredNanos = changedNanos;
    }

    /** The failure of exchanges that were not begun, of many threads: without a stack trace. */
    public static final class Open extends JedisConnectionException {
        private final @Nullable RuntimeException why;

        /** Creates the failure; {@code why} is what opened the circuit breaker, {@code null} if the server is slow. */
        Open(@Nullable RuntimeException why) {
            super("the circuit breaker is open: " + (why == null ? "the server is slow" : RedisFailure.reason(why)));
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
        /** Nothing yet, but it may be slow. */
        SUSPECT,
        NONE
    }

    /** Throws {@link Open} if no exchange is to be begun now. May wait briefly, if the last one had no answer. */
    public void check() {
        check(BRIEFLY_NANOS);
    }

    /** Otherwise identical to the other method, for a caller that waits no longer than its turn lasts, and once in it. */
    void check(Turn turn) {
        if (isInDoubt || state != BreakerState.CLOSED) {
            long beganNanos = time.monotonicNanos();
            check(Math.min(BRIEFLY_NANOS - turn.doubtedNanos(), turn.leftNanos(beganNanos)));
            turn.doubted(time.monotonicNanos() - beganNanos);
        }
    }

    private void check(long patienceNanos) {
        if (isInDoubt && !all.isExempt() && !awaitPing(patienceNanos) && isSilent()) {
            record(Evidence.UNANSWERED, time.monotonicNanos());
        }
        Open open = refusalIfOpen();
        if (open != null) {
            throw open;
        }
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

    /** Returns the failure of the exchanges of this thread while none is begun, {@code null} while they are. Does not wait. */
    public @Nullable Open refusalIfOpen() {
        return state != BreakerState.CLOSED && !all.isExempt() ? refusal : null;
    }

    BreakerState state() {
        return state;
    }

    /** Notes that an exchange with the master of a cluster is under way until its {@link #end}. */
    public void begin() {
        if (underWay.getAndIncrement() == 0) {
            quietSinceNanos = time.monotonicNanos();
        }
    }

    public void end(boolean isAnswered) {
        if (isAnswered) {
            quietSinceNanos = time.monotonicNanos();
        }
        underWay.decrementAndGet();
    }

    /** Returns whether other servers are to be used before this one. Does not wait. */
    public boolean isLast() {
        return isInDoubt
                || state != BreakerState.CLOSED
                || (underWay.get() > 0 && time.monotonicNanos() - quietSinceNanos >= LATE_NANOS);
    }

    /**
     * Waits up to half a second for the first PING after an exchange without an answer, and returns whether the server may be asked
     * then: not after an interrupt, unless there is nothing to wait for.
     */
    public boolean awaitAnswer() {
        awaitPing(BRIEFLY_NANOS);
        return pinged.getCount() == 0 && refusalIfOpen() == null;
    }

    /** Notes an answer, also an error reply, to an exchange that began at a (monotonic) time. */
    public void answered(long sentNanos) {
        long tookNanos = time.monotonicNanos() - sentNanos;
        noteFastest(tookNanos);
        if (isSlow(tookNanos)) {
            record(Evidence.SUSPECT, sentNanos);
        } else if (isInDoubt) {
            record(Evidence.PROMPT, sentNanos);
        }
    }

    /** Notes the failure of an exchange that began at a (monotonic) time. */
    public void failed(long sentNanos, RuntimeException failure) {
        record(judge(failure), sentNanos);
    }

    /** Returns what a failure proves; if there was no answer, it becomes the reason of refusals. */
    private Evidence judge(RuntimeException failure) {
        if (failure instanceof JedisConnectionException
                && !(failure instanceof Open)
                && RedisFailure.isOfServer(failure)) {
            refusal = new Open(failure);
            return Evidence.UNANSWERED;
        }
        return Evidence.NONE;
    }

    private void noteFastest(long tookNanos) {
        if (tookNanos < fastestNanos) {
            fastestNanos = tookNanos;
        }
    }

    private boolean isSlow(long tookNanos) {
        return tookNanos - fastestNanos > all.slowNanos;
    }

    private void record(Evidence evidence, long sentNanos) {
        if (evidence == Evidence.NONE) {
            return;
        }
        boolean opens;
        synchronized (this) {
            boolean isOld = sentNanos - (evidence == Evidence.UNANSWERED ? unansweredNanos : changedNanos) < 0;
            if (state != BreakerState.CLOSED || isOld || all.isClosed) {
                return;
            }
            if (evidence != Evidence.SUSPECT || !isInDoubt) {
                window.remove();
                window.add(evidence);
            }
            opens = count(Evidence.UNANSWERED) > MOST_UNANSWERED || count(Evidence.SLOW) == WINDOW;
            if (opens) {
                refusal = evidence == Evidence.SLOW ? new Open(null) : refusal;
                change(BreakerState.OPEN);
            } else if (evidence == Evidence.UNANSWERED) {
                unansweredNanos = time.monotonicNanos();
                pinged = pinged.getCount() == 0 ? new CountDownLatch(1) : pinged;
            }
            isInDoubt = count(Evidence.PROMPT) < WINDOW; // last: who sees it waits for the PING
            if (!isInDoubt) {
                pinged.countDown(); // nothing is left to wait for
            }
        }
        if (opens) {
            probeLater(); // first: whatever listeners and the log do, it closes again
            all.tell();
            LOG.debug("Redis{}: {}", where, refusal.getMessage());
        } else if (evidence != Evidence.PROMPT) {
            look();
        }
    }

    private int count(Evidence evidence) {
        return Collections.frequency(window, evidence);
    }

    /** Begins another state, with an empty window. */
    private synchronized void change(BreakerState next) {
        window.clear();
        window.addAll(ALL_PROMPT);
        changedNanos = time.monotonicNanos();
        unansweredNanos = changedNanos;
        state = next; // last: who sees that it is closed begins an exchange
        all.changed();
    }

    /** Checks the server in the background while it is in doubt, unless that is under way. */
    private void look() {
        CountDownLatch awaited = pinged;
        if (looking.compareAndSet(false, true) && !all.threads.tryToExecute(this::lookUntilThereIsNoDoubt)) {
            looking.set(false);
            awaited.countDown();
        }
    }

    private void lookUntilThereIsNoDoubt() {
        Evidence evidence = Evidence.PROMPT;
        CountDownLatch awaited = pinged;
        try {
            while (isInDoubt && evidence != Evidence.NONE && !all.isClosed) {
                awaited = pinged;
                long beganNanos = time.monotonicNanos();
                evidence = ping(awaited);
                record(evidence, beganNanos);
                awaited.countDown();
            }
        } finally {
            looking.set(false);
            awaited.countDown(); // and no other one: those who wait for that get a PING of their own
        }
        boolean isAgain = evidence != Evidence.NONE || pinged.getCount() > 0; // doubt since the last PING
        if (isInDoubt && isAgain && !all.isClosed) {
            look();
        }
    }

    /** Sends a PING, and then waits for a moment, to see how late this process is; those who await the answer do not. */
    private Evidence ping(CountDownLatch awaited) {
        try {
            long tookNanos = pingNanos.applyAsLong(() -> pingSentNanos = time.monotonicNanos());
            awaited.countDown();
            noteFastest(tookNanos);
            return isSlow(tookNanos - lateNanos()) ? Evidence.SLOW : Evidence.PROMPT;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Evidence.NONE;
        } catch (RuntimeException failure) {
            return judge(failure);
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
        long pauseNanos = ThreadLocalRandom.current().nextLong(LONGEST_PAUSE_NANOS / 2, LONGEST_PAUSE_NANOS);
        all.threads.later(pauseNanos, this::probe);
    }

    private void probe() {
        if (all.isClosed) {
            return;
        }
        change(BreakerState.HALF_OPEN);
        int prompt = 0;
        try {
            all.tell();
            while (prompt < PROBE_PINGS && ping(pinged) == Evidence.PROMPT) {
                prompt++;
            }
        } finally { // also after an Error
            boolean answers = prompt == PROBE_PINGS;
            change(answers ? BreakerState.CLOSED : BreakerState.OPEN);
            if (!answers) {
                probeLater();
            }
            all.tell();
            LOG.debug("Redis{}: the circuit breaker is {}", where, answers ? "closed" : "still open");
        }
    }

    /** Returns what is wrong with the server, as a sentence without its end. */
    String condition() {
        RuntimeException why = refusal.why;
        return "Redis" + where + (why == null ? " is slow" : " does not answer: " + RedisFailure.reason(why));
    }
}
