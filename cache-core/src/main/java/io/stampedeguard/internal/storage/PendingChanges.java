package io.stampedeguard.internal.storage;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.entry.Entry;
import io.stampedeguard.internal.failure.OnceAMinute;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.spi.Change;
import io.stampedeguard.internal.thread.BackgroundTasks;
import io.stampedeguard.internal.thread.Deadline;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.StoreFailureMode;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Function;
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
 *   <li>Meanwhile the value of a {@code put} answers the callers of this process for whom the store does not answer.
 * </ol>
 *
 * <p>While nothing is queued, a request pays for one volatile read. <em>Thread-safe</em>; no lock is held during a call of the
 * store.
 */
public final class PendingChanges implements AutoCloseable {
    /** The room for values of queued puts. A value that does not fit is dropped, and its key loaded. */
    private static final long MOST_BYTES = 32L << 20;

    /** The most keys with queued changes. */
    private static final int MOST_CHANGES = 10_000;

    private static final long FIRST_PAUSE_NANOS = Duration.ofMillis(100).toNanos();
    private static final int MOST_DOUBLINGS = 5;

    private final Map<String, Queued> queued = new ConcurrentHashMap<>();
    private final Map<String, Replay> replays = new ConcurrentHashMap<>();
    /** At least the number of queued changes: incremented before a change is added, decremented after it was removed. */
    private final AtomicInteger size = new AtomicInteger();

    private final AtomicLong bytes = new AtomicLong();
    private final AtomicBoolean retrying = new AtomicBoolean();
    private final AtomicBoolean logged = new AtomicBoolean();
    /** Whether the store has refused the latest put. Its replay is a removal, whose success is no proof that puts succeed again. */
    private volatile boolean refusesPuts;

    private final OnceAMinute lines;
    private final SharedStore store;
    private final String cache;
    private final StoreFailureMode mode;
    private final Duration waitTimeout;
    private final TimeSource time;
    private final CacheEvents events;
    private final BackgroundTasks tasks;
    private volatile boolean closed;

    /** Creates an empty queue; changes are sent to the given store, and retries run as tasks. */
    PendingChanges(CacheContext context, SharedStore store, BackgroundTasks tasks) {
        CachePolicy policy = context.policy();
        this.store = store;
        this.cache = context.name();
        this.mode = policy.onStoreFailure();
        this.waitTimeout = policy.waitTimeout();
        this.time = context.time();
        this.events = context.events();
        this.tasks = tasks;
        this.lines = new OnceAMinute(time);
    }

    /** What is to be sent for a key, and the entry that answers here until then. Not a record: each is equal to itself only. */
    private static final class Queued {
        private final boolean removes;
        private final byte @Nullable [] entry;

        Queued(boolean removes, byte @Nullable [] entry) {
            this.removes = removes;
            this.entry = entry;
        }

        /** Returns this change followed by an expiry: a removal remains one, and the entry is stale. It is another change. */
        Queued expired() {
            return new Queued(removes, entry == null ? null : stale(entry));
        }

        private static byte[] stale(byte[] entry) {
            byte[] marked = entry.clone();
            byte[] mark = Entry.staleMark();
            System.arraycopy(mark, 0, marked, Entry.SOFT_EXPIRY_OFFSET, mark.length);
            return marked;
        }

        int length() {
            return entry == null ? 0 : entry.length;
        }
    }

    /** The replay of one key by one thread. {@code failure} is written before the latch opens. */
    private static final class Replay {
        private final CountDownLatch over = new CountDownLatch(1);
        private @Nullable StoreException failure;
    }

    /**
     * How long a replay may take: the time of a caller, which limits its wait for a connection, too; or else a time for the waits for
     * others only.
     */
    private record Limit(Deadline deadline, boolean isOfCaller) {
        static Limit ofCaller(Duration patience, TimeSource time) {
            return new Limit(Deadline.in(patience, time), true);
        }

        static Limit ofNobody(Duration patience, TimeSource time) {
            return new Limit(Deadline.in(patience, time), false);
        }
    }

    /** Returns until when a {@code put} that begins now may be stored. */
    public Deadline deadlineOfPut() {
        return Deadline.in(store.patience(), time);
    }

    /**
     * Stores an entry, or queues that; returns whether the store has it. An entry that the store refuses, because the deadline is
     * over, is queued as well: its value is not stored, and what it was to replace is removed. Throws as {@link #invalidate}.
     */
    public boolean put(String key, byte[] entry, Duration ttl, Deadline deadline) {
        Runnable request = () -> {
            if (!storePut(key, new Change.Put(entry, ttl), deadline.remaining())) {
                throw new StoreException("could not put " + KeyEncoder.shown(key)
                        + ": this took too long, and another process may have changed the key meanwhile");
            }
        };
        return change(key, request, before -> new Queued(true, entry));
    }

    private boolean storePut(String key, Change.Put put, Duration patience) {
        boolean isStored;
        try {
            isStored = store.change(key, put, patience);
        } catch (StoreException e) {
            if (e.isRefusal() && !e.isUnsent()) {
                refusesPuts = true;
            }
            throw e;
        }
        if (isStored && refusesPuts) {
            refusesPuts = false;
            logEnd();
        }
        return isStored;
    }

    /**
     * Removes a key, or queues that; returns whether the store has done it. Throws a {@link StoreException} if the change is queued
     * under {@link StoreFailureMode#THROW}, or cannot be queued.
     */
    public boolean invalidate(String key) {
        return change(
                key,
                () -> store.change(key, new Change.Invalidate(), store.patience()),
                before -> new Queued(true, null));
    }

    /** Marks the entry of a key as stale, or queues that; returns whether the store has done it. Throws as {@link #invalidate}. */
    public boolean expire(String key) {
        return change(
                key,
                () -> store.change(key, expiry(), store.patience()),
                before -> before == null ? new Queued(false, null) : before.expired());
    }

    private static Change.Expire expiry() {
        return new Change.Expire(Entry.SOFT_EXPIRY_OFFSET, Entry.staleMark());
    }

    private boolean change(String key, Runnable request, Function<@Nullable Queued, Queued> ifUnanswered) {
        try {
            replayBefore(key);
            request.run();
            return true;
        } catch (StoreException e) {
            queue(key, ifUnanswered, e);
            if (mode == StoreFailureMode.THROW) {
                String queuedNow = "; the change is queued, and other processes see it when the store answers again";
                throw new StoreException(e.getMessage() + queuedNow, e, e.isShortage());
            }
            events.fault(FaultSource.STORE, e);
            return false;
        }
    }

    private void queue(String key, Function<@Nullable Queued, Queued> how, StoreException failure) {
        Queued change = queued.compute(key, (same, before) -> {
            if (before == null && size.incrementAndGet() > MOST_CHANGES) {
                size.decrementAndGet();
                return null;
            }
            bytes.addAndGet(before == null ? 0 : -before.length());
            return bounded(how.apply(before));
        });
        if (change == null) {
            throw new StoreException(
                    failure.getMessage() + "; the change is not queued either, because the queue is full: it has"
                            + " changes of " + MOST_CHANGES + " other keys",
                    failure,
                    failure.isShortage());
        }
        logBegin(failure);
        events.queuedChanges(size.get());
        retryLater();
        if (closed) { // close() may not have seen this change
            replayOrLose(key, failure);
        }
    }

    private void replayOrLose(String key, StoreException failure) {
        if (replay(key, Limit.ofNobody(waitTimeout, time)) != null && drop(key)) {
            events.queuedChangesLost(1);
            throw new StoreException(
                    failure.getMessage() + "; the change is not queued, because the cache is closed",
                    failure,
                    failure.isShortage());
        }
    }

    private boolean drop(String key) {
        Queued change = queued.remove(key);
        if (change != null) {
            bytes.addAndGet(-change.length());
            size.decrementAndGet();
        }
        return change != null;
    }

    /** Drops the value if there is no room for it. */
    private Queued bounded(Queued change) {
        if (bytes.addAndGet(change.length()) <= MOST_BYTES) {
            return change;
        }
        bytes.addAndGet(-change.length());
        return new Queued(change.removes, null);
    }

    /** Returns the number of keys with a queued change. */
    public int size() {
        return size.get();
    }

    /** Returns whether a change of a key is queued. */
    public boolean contains(String key) {
        return size.get() != 0 && queued.containsKey(key);
    }

    /** Returns the entry of a queued {@code put}, which may be stale or expired by now; {@code null} if there is none. */
    public byte @Nullable [] entryOf(String key) {
        Queued change = size.get() == 0 ? null : queued.get(key);
        return change == null ? null : change.entry;
    }

    /** Otherwise identical to the other method, for a caller without a deadline of its own. */
    void replayBefore(String key) {
        if (contains(key)) {
            replayBefore(key, Limit.ofNobody(waitTimeout, time));
        }
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
        Limit limit = Limit.ofCaller(patience, time);
        replayBefore(key, limit);
        return limit.deadline().remaining();
    }

    private void replayBefore(String key, Limit limit) {
        StoreException failure = replay(key, limit);
        if (failure != null) {
            throw unsent(key, failure);
        }
    }

    /** Otherwise identical to the other method, for a caller without a deadline of its own. */
    <Q> Collection<Q> replayBefore(Collection<Q> requests, Function<? super Q, String> keyOf) {
        return size.get() == 0 ? requests : replayBefore(requests, keyOf, Limit.ofNobody(waitTimeout, time));
    }

    /**
     * Passes on those of many requests that may be sent, after replays as by {@link #replayBefore}, and how much of the patience is
     * left for them; the others count as not answered. Returns the answer. Throws a {@link StoreException} if none may be sent.
     */
    <Q, A> A afterReplays(
            Collection<Q> requests,
            Function<? super Q, String> keyOf,
            Duration patience,
            BiFunction<Collection<Q>, Duration, A> send) {
        if (size.get() == 0) {
            return send.apply(requests, patience);
        }
        Limit limit = Limit.ofCaller(patience, time);
        Collection<Q> sent = replayBefore(requests, keyOf, limit);
        return send.apply(sent, limit.deadline().remaining());
    }

    private <Q> Collection<Q> replayBefore(Collection<Q> requests, Function<? super Q, String> keyOf, Limit limit) {
        List<String> changed = requests.stream()
                .map(keyOf)
                .filter(queued::containsKey)
                .distinct()
                .toList();
        Map<String, StoreException> failures = changed.isEmpty() ? Map.of() : replayAll(changed, limit);
        if (failures.isEmpty()) {
            return requests;
        }
        List<Q> sent = new ArrayList<>(requests.size());
        for (Q each : requests) {
            if (!failures.containsKey(keyOf.apply(each))) {
                sent.add(each);
            }
        }
        if (sent.isEmpty()) {
            Map.Entry<String, StoreException> first =
                    failures.entrySet().iterator().next();
            throw unsent(first.getKey(), first.getValue());
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
        if (size.get() != 0) {
            Map<String, StoreException> failures =
                    replayAll(List.copyOf(queued.keySet()), Limit.ofNobody(waitTimeout, time));
            failures.values().stream().distinct().forEach(failure -> events.fault(FaultSource.STORE, failure));
        }
        return queued.isEmpty();
    }

    /** Returns the failure of each key that was not replayed. In a group of keys that fail together, the first one ends it. */
    private Map<String, StoreException> replayAll(Collection<String> keys, Limit limit) {
        Map<String, StoreException> failures = new HashMap<>();
        for (List<String> group : store.groups(keys)) {
            StoreException failure = null;
            for (String key : group) {
                if (failure == null && limit.deadline().isOver()) {
                    failure = new StoreException("the deadline passed before its queued change was replayed");
                }
                failure = failure == null ? replay(key, limit) : failure;
                if (failure != null) {
                    failures.put(key, failure);
                }
            }
        }
        return failures;
    }

    /** Replays the change of a key, or waits for the thread that does; returns why it is still queued, else {@code null}. */
    private @Nullable StoreException replay(String key, Limit limit) {
        StoreException failure = null;
        while (failure == null && queued.containsKey(key)) { // again, if another change was queued behind the replay
            Replay mine = new Replay();
            Replay other = replays.putIfAbsent(key, mine);
            failure = other == null ? send(key, mine, limit) : await(other, limit.deadline());
            if (other != null
                    && failure != null
                    && failure.isShortage()
                    && !limit.deadline().isOver()) {
                failure = null; // that thread found no connection: this one has its own time to wait for one
            }
        }
        return failure;
    }

    private @Nullable StoreException send(String key, Replay replay, Limit limit) {
        try {
            Queued change = queued.get(key);
            while (change != null) {
                send(key, change, limit);
                change = queued.get(key);
            }
        } catch (StoreException e) {
            replay.failure = e;
        } catch (RuntimeException | Error e) {
            replay.failure = new StoreException("the replay of a queued change was cut off", e);
            throw e;
        } finally {
            replays.remove(key, replay);
            replay.over.countDown();
        }
        return replay.failure;
    }

    /** Sends a change, and removes it from the queue, unless another change of the key was queued meanwhile. */
    private void send(String key, Queued change, Limit limit) {
        Duration patience = limit.isOfCaller() ? limit.deadline().remaining() : store.patience();
        store.change(key, change.removes ? new Change.Invalidate() : expiry(), patience);
        if (queued.remove(key, change)) {
            bytes.addAndGet(-change.length());
            events.queuedChanges(size.decrementAndGet());
            logEnd();
        }
    }

    private @Nullable StoreException await(Replay other, Deadline deadline) {
        try {
            return time.await(other.over, deadline.remainingNanos())
                    ? other.failure
                    : new StoreException("another caller's replay of its queued change did not end in time");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new StoreException("interrupted while its queued change was replayed", e);
        }
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
        if (size.get() == 0 && !refusesPuts && logged.getAndSet(false)) {
            events.queueingEnded();
        }
    }

    private void retryLater() {
        if (!closed && retrying.compareAndSet(false, true)) {
            schedule(0);
        }
    }

    private void schedule(int failures) {
        long bound = FIRST_PAUSE_NANOS << Math.min(failures, MOST_DOUBLINGS);
        long pause = (long) ((1 + time.random()) * (double) bound / 2);
        try {
            time.schedule(pause, () -> {
                if (!tasks.run(() -> retry(failures)) && !closed) {
                    schedule(failures);
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
            if (!closed && !queued.isEmpty()) {
                schedule(failures + 1);
            } else {
                retrying.set(false);
                if (!queued.isEmpty()) { // queued since the last look
                    retryLater();
                }
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
        if (size.get() != 0 && !replay()) {
            long lost = List.copyOf(queued.keySet()).stream().filter(this::drop).count();
            events.queuedChangesLost((int) lost);
        }
    }

    /** Returns the number of queued changes, for logs. */
    @Override
    public String toString() {
        return "PendingChanges[" + cache + ", " + size() + "]";
    }
}
