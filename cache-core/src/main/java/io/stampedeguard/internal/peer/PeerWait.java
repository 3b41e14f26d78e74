package io.stampedeguard.internal.peer;

import io.stampedeguard.event.EventType;
import io.stampedeguard.event.Operation;
import io.stampedeguard.event.OperationScope;
import io.stampedeguard.internal.lease.KeyRequest;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.observe.Failures;
import io.stampedeguard.internal.observe.HotKeys;
import io.stampedeguard.internal.spi.LeaseNotifications;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.internal.thread.Deadline;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * One leader's wait for other processes' loads, of one key or of many. <em>Not thread-safe</em>, but for what the store calls.
 * <ol>
 *   <li>It watches one of the keys, if the store has {@link LeaseNotifications}: the last, because a process that loads them
 *       together publishes them in their order. When that key is not held any more, another one.
 *   <li>As soon as it is subscribed, it requests the lease again: it has missed what happened before; unless the store has seen,
 *       after the subscription, that the holder is still the one of the last answer.
 *   <li>What the holder of that lease then publishes, or how it failed, is the answer: it is newer than the request, or than the
 *       subscription. After any other notification, or if that request had no answer, it requests the lease again.
 *   <li>Messages get lost, so it also requests the lease from time to time, and when a lease is over. While it is not subscribed,
 *       it polls with jittered backoff.
 * </ol>
 */
public final class PeerWait {
    private static final int MOST_DOUBLINGS = 32;

    private final @Nullable LeaseNotifications notices;
    private final CachePolicy policy;
    private final TimeSource time;
    private final CacheEvents events;
    private final HotKeys hotKeys;

    private @Nullable Watched watched;

    /** Creates one that does not wait yet. {@code notices}: the store's, if it has them and the policy uses them. */
    public PeerWait(CacheContext context, @Nullable LeaseNotifications notices) {
        this.hotKeys = context.hotKeys();
        this.notices = notices;
        this.policy = context.policy();
        this.time = context.time();
        this.events = context.events();
    }

    /** A notification for a key, and how the holder of its lease ended it, if that was received. */
    public record Signal<K, V>(KeyRequest<K, V> request, LeaseNotifications.@Nullable Notice notice) {}

    /** To be called before each request: notifications received so far are older than its answer. */
    public void beforeRequest() {
        Watched present = watched;
        if (present != null) {
            present.sure = true; // of the holder that the answer will name
            present.wakeUp = new WakeUp();
        }
    }

    /** To be called if the request has no answer for a key: what was notified since may be older than a caller of this attempt. */
    public void unanswered(String storeKey) {
        Watched present = watched;
        if (present != null && present.storeKey.equals(storeKey)) {
            present.wakeUp.isOfAnswer = false;
        }
    }

    /**
     * Waits until there is a reason for another request for the leases of keys, all held by other processes. Before a key is watched,
     * an attempt begins: what is notified is newer than that, or than the last request. Throws a {@link WaitTimeoutException} if the
     * deadline is over.
     */
    public <K, V> Signal<K, V> untilNextRequest(List<KeyRequest<K, V>> held, Deadline deadline)
            throws InterruptedException {
        KeyRequest<K, V> key = watchedAmong(held);
        LeaseToken holder = key.held().holder();
        long left = deadline.remainingNanos();
        if (left <= 0) {
            throw Failures.waitTimeout(key.storeKey(), holder);
        }
        for (KeyRequest<K, V> each : held) {
            if (each.countAsWaiting()) {
                hotKeys.waits(each.storeKey());
            }
        }
        Watched present = watched == null ? begin(key.storeKey()) : watched;
        present.namedHolder = holder;
        if (present.watch == null && notices != null) {
            held.forEach(each -> each.flight().beginAttempt());
            present.watch = notices.watch(key.storeKey(), present);
        }
        WakeUp next = present.wakeUp;
        Duration shortest = held.stream()
                .map(each -> each.held().remaining())
                .min(Comparator.naturalOrder())
                .orElseThrow();
        if (shortest.compareTo(Duration.ofNanos(left)) < 0) { // in this order: it may be too long for nanoseconds
            left = shortest.toNanos();
        }
        events.waits(); // here only: between two requests it may queue for a permit, and is counted there
        try {
            boolean isAnswer = present.await(next, left) && next.isOfAnswer;
            LeaseNotifications.Notice notice = isAnswer ? next.notice : null;
            boolean isOfHolder = notice != null && holder != null && holder.equals(notice.token());
            return new Signal<>(key, isOfHolder ? notice : null);
        } finally {
            events.waitsNoMore();
        }
    }

    /** Returns the key that is watched, or is to be: if the present one is not held any more, the last. */
    private <K, V> KeyRequest<K, V> watchedAmong(List<KeyRequest<K, V>> held) {
        Watched present = watched;
        if (present != null) {
            for (KeyRequest<K, V> each : held) {
                if (each.storeKey().equals(present.storeKey)) {
                    return each;
                }
            }
            over(EventType.WAIT_ANSWERED);
        }
        return held.get(held.size() - 1);
    }

    /** Begins a wait, before it watches: then its end is seen to, whatever the store throws. */
    private Watched begin(String storeKey) {
        Watched begun = new Watched(storeKey, events.begin(Operation.WAIT));
        watched = begun;
        return begun;
    }

    /** Ends the wait and reports to the listener how, if there was one and it is not over. */
    public void over(EventType outcome) {
        Watched ended = watched;
        if (ended == null) {
            return;
        }
        watched = null;
        if (ended.watch != null) {
            ended.watch.close();
        }
        events.end(ended.operation, null);
        events.report(outcome, time.monotonicNanos() - ended.beganNanos);
        hotKeys.waited();
    }

    /** Comes with the first notification after a request was begun, and keeps the last. */
    private static final class WakeUp {
        final CountDownLatch woken = new CountDownLatch(1);

        /** Whether that request was answered; otherwise a notification is only a reason for the next one. */
        boolean isOfAnswer = true;

        volatile LeaseNotifications.@Nullable Notice notice;
    }

    /** The key that is watched for the others. */
    private final class Watched implements LeaseNotifications.Listener {
        private final String storeKey;
        private final OperationScope operation;
        private final long beganNanos = time.monotonicNanos();
        private @Nullable Watch watch;
        private int polls;

        /** The holder that the last answer has named. */
        private volatile @Nullable LeaseToken namedHolder;

        /** Whether that holder held the lease after the watch began, so that its notice is newer. */
        private volatile boolean sure;

        private volatile boolean listens;
        private volatile WakeUp wakeUp = new WakeUp();

        Watched(String storeKey, OperationScope operation) {
            this.storeKey = storeKey;
            this.operation = operation;
        }

        @Override
        public void listening() {
            listens = true;
            wakeUp.woken.countDown();
        }

        @Override
        public void listening(LeaseToken holder) {
            listens = true;
            if (holder.equals(namedHolder)) {
                sure = true;
            } else {
                wakeUp.woken.countDown();
            }
        }

        @Override
        public void onNotice(LeaseNotifications.Notice notice) {
            WakeUp ending = wakeUp;
            ending.notice = sure ? notice : null;
            ending.woken.countDown();
        }

        /**
         * Waits for a wake-up, or the next poll, and returns whether it was woken; if it begins to listen meanwhile, that poll is
         * not due yet.
         */
        boolean await(WakeUp next, long mostNanos) throws InterruptedException {
            long began = time.monotonicNanos();
            boolean listened;
            do {
                listened = listens;
                long left = Math.max(0, mostNanos - (time.monotonicNanos() - began));
                if (time.await(next.woken, Math.min(pauseNanos(listened), left))) {
                    return true;
                }
            } while (!listened && listens);
            return false;
        }

        private long pauseNanos(boolean listened) {
            double draw = time.random();
            return listened ? safetyNetNanos(policy, draw) : backoffNanos(policy, polls++, draw);
        }
    }

    /**
     * Returns a pause between two polls, from zero to a bound that doubles with each poll: exponential backoff with full jitter
     * (M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015).
     */
    static long backoffNanos(CachePolicy policy, int poll, double draw) {
        double bound = Math.scalb((double) policy.poll().toNanos(), Math.min(poll, MOST_DOUBLINGS));
        return (long) (draw * Math.min(bound, (double) policy.maxPollInterval().toNanos()));
    }

    /** Returns the pause of a caller that polls only in case a message was lost: half to all of the longest pause. */
    private static long safetyNetNanos(CachePolicy policy, double draw) {
        return (long) ((1 + draw) / 2 * (double) policy.maxPollInterval().toNanos());
    }
}
