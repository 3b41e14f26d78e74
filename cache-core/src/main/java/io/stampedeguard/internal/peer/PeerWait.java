package io.stampedeguard.internal.peer;

import io.stampedeguard.event.Step;
import io.stampedeguard.event.StepScope;
import io.stampedeguard.event.WaitOutcome;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.observe.Failures;
import io.stampedeguard.internal.observe.HotKeys;
import io.stampedeguard.internal.thread.Deadline;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.LeaseAttempt;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.store.Notices;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One leader's wait for the load of another process:
 *
 * <ol>
 *   <li>when it is told for the first time that somebody else holds the lease, it begins to watch the key, if the store
 *       has {@link Notices};
 *   <li>as soon as it listens it asks again: whatever ended the lease before, it would have missed;
 *   <li>then it waits for a notice. What the holder of the lease it was told of has published, or how it failed, is the
 *       answer: that came later than the question. Any other notice means to ask again;
 *   <li>messages get lost, so it asks again from time to time, and when the lease is over. While it does not listen, it
 *       polls, with jittered back-off.
 * </ol>
 *
 * <p>One for each wait; <em>not thread-safe</em>, but for what the store calls.
 */
public final class PeerWait implements Notices.Listener, AutoCloseable {
    private final String storeKey;
    private final @Nullable Notices notices;
    private final CachePolicy policy;
    private final TimeSource time;
    private final DoubleSupplier draws;
    private final CacheEvents events;
    private final HotKeys hotKeys;
    private final Counting counting;
    private long beganNanos;
    private Notices.@Nullable Watch watch;
    private int polls;
    private @Nullable StepScope step;
    private volatile boolean listens;
    private volatile Bell bell = new Bell();

    /** Who tells the hot keys of the wait. */
    public enum Counting {
        /** The wait itself, which is for one key. */
        ITSELF,
        /** Whoever waits for more keys than the one that is watched. */
        ELSEWHERE
    }

    /** Rings at the first thing heard after a question was begun, and tells the last. */
    private static final class Bell {
        final CountDownLatch rung = new CountDownLatch(1);
        volatile Notices.@Nullable Notice notice;
    }

    /**
     * Makes one that does not wait yet.
     *
     * @param notices the store's ability to wake those who wait, if it has it and the policy wants it
     */
    public PeerWait(String storeKey, CacheContext context, @Nullable Notices notices, Counting counting) {
        this.storeKey = storeKey;
        this.counting = counting;
        this.hotKeys = context.hotKeys();
        this.notices = notices;
        this.policy = context.policy();
        this.time = context.time();
        this.draws = context.draws();
        this.events = context.events();
    }

    /** To be called before each question: what was heard so far is older than its answer. */
    public void beforeAsking() {
        bell = new Bell();
    }

    /**
     * Waits until there is a reason to ask again.
     *
     * @return what the holder did to end its lease, if that was heard
     * @throws WaitTimeoutException if the deadline is over
     */
    public Notices.@Nullable Notice untilNextQuestion(LeaseAttempt.Held held, Deadline deadline)
            throws InterruptedException {
        long left = deadline.remainingNanos();
        if (left <= 0) {
            throw Failures.waitTimeout(storeKey, held.holder());
        }
        if (watch == null && notices != null) {
            watch = notices.watch(storeKey, this);
        }
        begin();
        Bell next = bell;
        long pause = Math.min(pauseNanos(), left);
        if (held.remaining().compareTo(Duration.ofNanos(pause))
                < 0) { // in this order: it may be too long for nanoseconds
            pause = held.remaining().toNanos();
        }
        events.waits(); // here only: between two pauses it may queue for a permit, and is counted there
        try {
            return time.await(next.rung, pause) ? ofHolder(next.notice, held.holder()) : null;
        } finally {
            events.waitsNoMore();
        }
    }

    private void begin() {
        if (step != null) {
            return;
        }
        beganNanos = time.monotonicNanos();
        step = events.begin(Step.WAIT);
        if (counting == Counting.ITSELF) {
            hotKeys.waits(storeKey);
        }
    }

    @Override
    public void listening() {
        listens = true;
        bell.rung.countDown();
    }

    @Override
    public void heard(Notices.Notice notice) {
        Bell ringing = bell;
        ringing.notice = notice;
        ringing.rung.countDown();
    }

    @Override
    public void close() {
        if (watch != null) {
            watch.close();
        }
    }

    /** Reports to the listener how the wait ended, if there was one. */
    public void over(WaitOutcome outcome) {
        StepScope ended = step;
        if (ended != null) {
            step = null;
            events.end(ended, null);
            events.waited(outcome, time.monotonicNanos() - beganNanos);
            hotKeys.waited();
        }
    }

    /** Returns whether it has waited, and not said that it is over. */
    public boolean hasWaited() {
        return step != null;
    }

    private long pauseNanos() {
        double draw = draws.getAsDouble();
        return listens ? Backoff.safetyNetNanos(policy, draw) : Backoff.nanos(policy, polls++, draw);
    }

    private static Notices.@Nullable Notice ofHolder(Notices.@Nullable Notice notice, @Nullable LeaseToken holder) {
        if (notice instanceof Notices.Notice.Published published) {
            return published.token().equals(holder) ? published : null;
        }
        if (notice instanceof Notices.Notice.Unstored unstored) {
            return unstored.token().equals(holder) ? unstored : null;
        }
        if (notice instanceof Notices.Notice.Failed failed) {
            return failed.token().equals(holder) ? failed : null;
        }
        return null;
    }
}
