package io.stampedeguard.internal.storage;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.entry.Entry;
import io.stampedeguard.internal.failure.OnceAMinute;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.spi.Change;
import io.stampedeguard.internal.spi.Marks;
import io.stampedeguard.internal.storage.QueuedChange.Replay;
import io.stampedeguard.internal.thread.BackgroundTasks;
import io.stampedeguard.internal.thread.Deadline;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.StoreFailureMode;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The changes of keys that the store did not answer. The invariant: from the return of a queued change on, no request of this
 * process that reads its key, requests its lease, or publishes for it reaches the store before the change has.
 * <ol>
 *   <li>A change that the store does not answer is queued, and only then are this process's copies outdated: what was read before
 *       the change was queued has a ticket from before, and what is read afterwards is read behind the change.
 *   <li>Before each such request, the change of its key is <em>replayed</em>. If the store does not answer that, the request is
 *       not sent: the key counts as one for which the store does not answer. One caller at a time replays a key, the others wait
 *       for it and share what came of it, so that a fault costs each of them one timeout at most.
 *   <li>A replay ends the lease of its key. So a load that began before the change cannot publish what it has read: the store
 *       refuses it, whether it asks before or after the replay.
 *   <li>In the background, everything is replayed with jittered backoff until the store has answered.
 *   <li>What is replayed removes an entry or marks it as stale, whatever was queued: a replayed value would be a late writer, and
 *       could bring back what another process has removed in the meantime. Both are idempotent, so that a replay whose answer was
 *       lost is repeated. Of several changes of a key, one remains that has the effect of all in their order.
 *   <li>Meanwhile the value of a {@code put} that was not late answers the callers of this process for whom the store does not answer.
 *   <li>A change of all entries is one of each key: it is replayed before each request for any key. But if the store has {@link
 *       Marks}, those of this process are raised instead, by which it serves nothing older, and no request waits: a store that
 *       refuses the change still answers them. The replay carries the raised marks, so that it has its effect once.
 * </ol>
 *
 * <p>While nothing is queued, a request pays for one volatile read. <em>Thread-safe</em>; no lock is held during a call of the
 * store.
 */
public final class PendingChanges implements AutoCloseable {
    /** How far the store's clock may be ahead of what is known of it: it drifts, and the masters of a cluster differ. */
    private static final long PRECISION_MILLIS = 1_000;

    private static final long FIRST_PAUSE_NANOS = Duration.ofMillis(100).toNanos();
    private static final int MOST_DOUBLINGS = 5;

    /** Read directly, whether it is empty: this is on the path of each hit. */
    final ChangeQueue queued;

    /** In place of a key, of which it is none: the name of the cache, for a change of all entries. */
    private final String all;

    /** What this process knows of changes of all entries; {@code null} if the store makes them one by one. */
    private final @Nullable Marks marks;

    private final AtomicBoolean retrying = new AtomicBoolean();
    private final AtomicBoolean logged = new AtomicBoolean();
    /** Whether the store has refused the latest put. Its replay is a removal, whose success is no proof that puts succeed again. */
    private volatile boolean refusesPuts;

    private final OnceAMinute lines;
    private final SharedStore store;
    private final StoreFailureMode mode;
    private final Duration waitTimeout;
    private final TimeSource time;
    private final CacheEvents events;
    private final BackgroundTasks tasks;
    private volatile boolean closed;

    /** Creates an empty queue; changes are sent to the given store, and retries run as tasks. */
    PendingChanges(CacheContext context, SharedStore store, BackgroundTasks tasks) {
        CachePolicy policy = context.policy();
        this.all = context.name();
        this.queued = new ChangeQueue(all);
        this.store = store;
        Marks.Keeper keeper = store.ability(Marks.Keeper.class);
        this.marks = keeper == null ? null : keeper.marks(all);
        this.mode = policy.onStoreFailure();
        this.waitTimeout = policy.waitTimeout();
        this.time = context.time();
        this.events = context.events();
        this.tasks = tasks;
        this.lines = new OnceAMinute(time);
    }

    /** Returns until when a {@code put} that begins now may be stored. */
    public Deadline deadlineOfPut() {
        return Deadline.in(store.patience(), time);
    }

    /**
     * Stores an entry, or queues that; returns whether the store has it. If the deadline was over before, or the store refuses the
     * entry because it is, a removal is queued: the value may be from before another change. Throws as {@link #invalidate}.
     */
    public boolean put(String key, Entry entry, Deadline deadline) {
        Change put = entry.put(null);
        return change(key, put, deadline.remaining());
    }

    /**
     * Removes a key, or queues that; returns whether the store has done it. Throws a {@link StoreException} if the change is queued
     * under {@link StoreFailureMode#THROW}, or cannot be queued.
     */
    public boolean invalidate(String key) {
        return change(key, new Change.Invalidate(), store.patience());
    }

    /** Marks the entry of a key as stale, or queues that; returns whether the store has done it. Throws as {@link #invalidate}. */
    public boolean expire(String key) {
        return change(key, Entry.expiry(), store.patience());
    }

    /**
     * Makes a change of all entries, or of those with a tag if there are any, or queues that; returns whether the store has done it.
     * The values of queued puts are removed or stale then, too. Throws as {@link #invalidate}.
     */
    public boolean changeAll(Change each, Set<String> tags) {
        try {
            return change(all, new Change.OfAll(each, tags, false), store.patience());
        } finally {
            queued.changeValues(each, tags);
        }
    }

    private boolean change(String key, Change change, Duration patience) {
        boolean isPut = change instanceof Change.Put;
        boolean isLate = isPut && patience.isZero();
        StoreException failure;
        try {
            Duration left = isEmpty() ? patience : replayBefore(key, patience); // which counts for a put
            if (store.change(key, change, isPut ? left : patience) || !isPut) {
                if (isPut && refusesPuts) {
                    refusesPuts = false;
                    logEnd();
                }
                return true;
            }
            isLate = true;
            failure = new StoreException("could not put " + KeyEncoder.shown(key)
                    + ": this took too long, and another process may have changed the key meanwhile");
        } catch (StoreException e) {
            if (isPut && e.isRefusal() && !e.isUnsent()) {
                refusesPuts = true;
            }
            failure = e;
        }
        if (change instanceof Change.OfAll ofAll && marks != null) {
            boolean removes = ofAll.each() instanceof Change.Invalidate;
            marks.raise(removes, ofAll.tags(), store.currentTimeMillis() + PRECISION_MILLIS);
        }
        queue(key, isLate ? new Change.Invalidate() : change, failure);
        if (mode == StoreFailureMode.THROW) {
            throw extended(failure, "; the change is queued, and other processes see it when the store answers again");
        }
        events.fault(FaultSource.STORE, failure);
        return false;
    }

    private static StoreException extended(StoreException failure, String words) {
        return new StoreException(failure.getMessage() + words, failure, failure.isShortage());
    }

    private void queue(String key, Change change, StoreException failure) {
        if (!queued.add(key, change)) {
            throw extended(
                    failure,
                    "; the change is not queued either, because the queue is full: it has changes of "
                            + ChangeQueue.MOST_CHANGES + " other keys");
        }
        logBegin(failure);
        events.report(EventType.QUEUED_CHANGES, size());
        retryLater(0);
        // close() may not have seen this change
        if (closed && replay(key, Deadline.in(store.patience(), time)) != null && queued.drop(key, queued.get(key))) {
            events.queuedChangesLost(1);
            throw extended(failure, "; the change is not queued, because the cache is closed");
        }
    }

    /** Returns the number of keys with a queued change. */
    public int size() {
        return queued.size.get();
    }

    /** Returns whether nothing is queued. */
    public boolean isEmpty() {
        return queued.size.get() == 0;
    }

    /** Returns whether a change is queued that must be replayed before a request for a key: of the key, or of all. */
    public boolean contains(String key) {
        return !isEmpty() && (queued.contains(key) || (marks == null && queued.contains(all)));
    }

    /** Returns the entry of a queued {@code put}, which may be stale or expired by now; {@code null} if there is none. */
    public byte @Nullable [] entryOf(String key) {
        QueuedChange change = isEmpty() ? null : queued.get(key);
        return change == null ? null : change.entry();
    }

    /**
     * Ensures that a request for a key may be sent: if a change of it is queued, replays it, or waits for the caller that does.
     * Returns how much of the patience is left for the request. Throws a {@link StoreException} if the store does not answer; the
     * request must not be sent then.
     */
    Duration replayBefore(String key, Duration patience) {
        if (!contains(key)) {
            return patience;
        }
        Deadline deadline = Deadline.in(patience, time);
        replayBefore(List.of(key), Function.identity(), deadline);
        return deadline.remaining();
    }

    /**
     * Returns those of many requests that may be sent, after replays as by the other method; the others count as not answered.
     * Throws a {@link StoreException} if none may be sent.
     */
    <Q> Collection<Q> replayBefore(Collection<Q> requests, Function<? super Q, String> keyOf, Deadline deadline) {
        if (requests.isEmpty()) {
            return requests;
        }
        StoreException ofAll = marks == null ? replay(all, deadline) : null; // with marks, no request waits for it
        if (ofAll != null) {
            throw unsent(keyOf.apply(requests.iterator().next()), ofAll);
        }
        List<String> changed =
                requests.stream().map(keyOf).filter(queued::contains).distinct().toList();
        Map<String, StoreException> failures = replayAll(changed, deadline, () -> deadline);
        if (failures.isEmpty()) {
            return requests;
        }
        List<Q> sent = requests.stream()
                .filter(each -> !failures.containsKey(keyOf.apply(each)))
                .toList();
        if (sent.isEmpty()) {
            String key = keyOf.apply(requests.iterator().next());
            throw unsent(key, requireNonNull(failures.get(key)));
        }
        return sent;
    }

    private static StoreException unsent(String key, StoreException failure) {
        return StoreException.unsent(
                () -> "no request was sent for " + KeyEncoder.shown(key)
                        + ", because its queued change could not be sent first: " + failure.getMessage(),
                failure);
    }

    /**
     * Replays everything, until the store does not answer; returns whether nothing is left. May be called at any time, by any
     * thread, such as when the store is known to answer again. Blocks for the calls of the store.
     */
    public boolean replay() {
        if (!isEmpty()) {
            Map<String, StoreException> failures = replayAll(
                    List.copyOf(queued.keys()),
                    Deadline.in(waitTimeout, time),
                    () -> Deadline.in(store.patience(), time));
            failures.values().stream().distinct().forEach(failure -> events.fault(FaultSource.STORE, failure));
        }
        return queued.keys().isEmpty();
    }

    /**
     * Replays keys, each with a deadline of its own, until that of all is over, but the first in any case; returns the failure of each
     * that was not replayed. In a group of keys that fail together, the first failure ends it.
     */
    private Map<String, StoreException> replayAll(
            Collection<String> keys, Deadline deadline, Supplier<Deadline> deadlineOfEach) {
        Map<String, StoreException> failures = new HashMap<>();
        boolean isFirst = true;
        for (List<String> group : store.groups(keys)) {
            StoreException failure = null;
            for (String key : group) {
                if (failure == null && !isFirst && deadline.isOver()) {
                    failure = late("the deadline passed before its queued change was replayed");
                }
                isFirst = false;
                failure = failure == null ? replay(key, deadlineOfEach.get()) : failure;
                if (failure != null) {
                    failures.put(key, failure);
                }
            }
        }
        return failures;
    }

    /** Replays the change of a key, or waits for the thread that does; returns why it is still queued, else {@code null}. */
    private @Nullable StoreException replay(String key, Deadline deadline) {
        StoreException failure = null;
        QueuedChange change = queued.get(key);
        while (failure == null && change != null) { // again, if another change was queued behind the replay
            Replay mine = new Replay();
            Replay other = change.begin(mine);
            if (other == null) {
                failure = send(key, change, mine, deadline);
            } else {
                failure = await(other, deadline);
                if (failure != null && failure.isShortage() && !deadline.isOver()) {
                    failure = null; // that thread found no connection: this one has its own time to wait for one
                }
            }
            change = queued.get(key);
        }
        return failure;
    }

    /** Sends the change of a key, and removes it from the queue, unless another one of the key was queued meanwhile. */
    private @Nullable StoreException send(String key, QueuedChange first, Replay replay, Deadline deadline) {
        try {
            QueuedChange change = queued.get(key);
            if (change != null) {
                Change each = change.toSend();
                store.change(
                        key,
                        key.equals(all) ? new Change.OfAll(each, Set.of(), marks != null) : each,
                        deadline.remaining());
                if (queued.drop(key, change)) {
                    events.report(EventType.QUEUED_CHANGES, size());
                    logEnd();
                }
            }
        } catch (StoreException e) {
            replay.failure = e;
        } catch (RuntimeException | Error e) {
            replay.failure = new StoreException("the replay of a queued change was cut off", e);
            throw e;
        } finally {
            first.end(replay);
        }
        return replay.failure;
    }

    private @Nullable StoreException await(Replay other, Deadline deadline) {
        try {
            return time.await(other.over, deadline.remainingNanos())
                    ? other.failure
                    : late("another caller's replay of its queued change did not end in time");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new StoreException("interrupted while its queued change was replayed", e);
        }
    }

    /** Returns the failure of a caller whose time is over, which proves nothing about the store: a shortage. */
    private static StoreException late(String message) {
        return new StoreException(message, new TimeoutException(message), true);
    }

    /** One line when queueing begins, and one when it ends, but not more than once a minute. */
    private void logBegin(StoreException failure) {
        if (!logged.get()) {
            lines.count(number -> {
                logged.set(true);
                events.queueingBegan(failure);
            });
        }
    }

    private void logEnd() {
        if (isEmpty() && !refusesPuts && logged.getAndSet(false)) {
            events.queueingEnded();
        }
    }

    /** Replays everything after a pause, and again until the queue is empty. */
    private void retryLater(int failures) {
        if (closed || !retrying.compareAndSet(false, true)) {
            return;
        }
        long bound = FIRST_PAUSE_NANOS << Math.min(failures, MOST_DOUBLINGS);
        long pause = (long) ((1 + time.random()) * (double) bound / 2);
        try {
            time.schedule(pause, () -> {
                if (!tasks.run(() -> retry(failures))) {
                    retrying.set(false);
                    retryLater(failures);
                }
            });
        } catch (RuntimeException | Error e) { // no thread for the timer, for instance: the next change tries again
            retrying.set(false);
            throw e;
        }
    }

    private void retry(int failures) {
        try {
            if (!closed) {
                replay();
            }
        } finally {
            retrying.set(false);
            if (!queued.keys().isEmpty()) {
                retryLater(failures + 1);
            }
        }
    }

    boolean isClosed() {
        return closed;
    }

    /** Ends the retries, and replays what is queued once more; reports what is lost if the store does not answer. */
    @Override
    public void close() {
        closed = true;
        tasks.close();
        if (!isEmpty() && !replay()) {
            long lost = queued.keys().stream()
                    .filter(key -> queued.drop(key, queued.get(key)))
                    .count();
            events.queuedChangesLost((int) lost);
        }
    }
}
