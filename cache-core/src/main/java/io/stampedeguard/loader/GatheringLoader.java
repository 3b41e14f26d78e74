package io.stampedeguard.loader;

import io.stampedeguard.internal.failure.Thrown;
import io.stampedeguard.internal.thread.WakeUpTree;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A loader of single keys that passes keys on to a bulk loader together, if they are loaded at the same time:
 * <ol>
 *   <li>A caller that finds neither a call in progress nor a batch that gathers closes a batch of its own, and calls at once.
 *   <li>Any other caller joins the batch that gathers, or begins it. It is closed when it is full, when no call is in progress any
 *       more, or when its window is over.
 *   <li>The caller that has begun a batch leads it: it minds the window, and calls the bulk loader on its thread. The others wait.
 *   <li>A caller that is interrupted, as at the {@code loadTimeout} of its cache, leaves; its key is not loaded if the batch was open.
 *   <li>If the leader is interrupted, or fails for another reason that is not the bulk loader's, its batch ends without a result,
 *       and each of the others begins again. That ends: each time, one of them fewer is left.
 * </ol>
 *
 * <p>A batch answers only callers that joined before it was closed, and it is closed before its call begins: what a caller gets
 * was loaded after it came, and so under its lease. <em>Thread-safe</em>; the lock guards the batch that gathers, the members of open
 * batches, and the number of calls, and is not held while anybody waits or user code runs.
 */
final class GatheringLoader<K, V> implements AdaptiveLoader<K, V> {
    /** The usual window. */
    static final Duration USUAL_DELAY = Duration.ofMillis(2);

    private static final Duration LONGEST_DELAY = Duration.ofSeconds(1);
    private static final long WITHOUT_TIMER = Long.MAX_VALUE;

    private final ReentrantLock lock = new ReentrantLock();
    private final BulkLoader<K, LoadedValue<V>> origin;
    private final int maxKeys;
    private final long maxDelayNanos;
    private final TimeSource time;

    /** The batch that gathers. */
    private @Nullable Batch<K, V> open;

    /** How many batches were closed, and are not over. */
    private int calls;

    GatheringLoader(BulkLoader<K, LoadedValue<V>> origin, int maxKeys, Duration maxDelay, TimeSource time) {
        if (maxKeys < 1) {
            throw new IllegalArgumentException("maxKeys " + maxKeys + " is less than 1");
        }
        if (maxDelay.isNegative() || maxDelay.isZero() || maxDelay.compareTo(LONGEST_DELAY) > 0) {
            throw new IllegalArgumentException(
                    "maxDelay " + maxDelay + " is not more than zero and at most " + LONGEST_DELAY);
        }
        this.origin = origin;
        this.maxKeys = maxKeys;
        this.maxDelayNanos = maxDelay.toNanos();
        this.time = time;
    }

    /** Returns a bulk loader of values that differ in nothing from the policy. */
    static <K, V> BulkLoader<K, LoadedValue<V>> plain(BulkLoader<K, V> loader) {
        return keys -> {
            Map<? extends K, ? extends @Nullable V> values = checked(loader.loadAll(keys));
            Map<K, LoadedValue<V>> loaded = new HashMap<>(keys.size() * 2);
            for (K key : keys) {
                loaded.put(key, LoadedValue.of(values.get(key)));
            }
            return loaded;
        };
    }

    private static <M> M checked(@Nullable M values) {
        if (values == null) {
            throw new IllegalStateException("the bulk loader returned null");
        }
        return values;
    }

    /** One call of this loader that waits for a batch, or leads one. Compared by identity. */
    private static final class Member<K, V> {
        private final K key;

        /** What its batch has loaded for it; written before the batch is over. */
        private @Nullable LoadedValue<V> loaded;

        Member(K key) {
            this.key = key;
        }
    }

    /** Callers whose keys are loaded by one call. Has a result, a failure, or neither when it is over. */
    private static final class Batch<K, V> {
        private final Member<K, V> leader;
        private final List<Member<K, V>> members = new ArrayList<>();
        private final CountDownLatch closed = new CountDownLatch(1);
        private final WakeUpTree over = new WakeUpTree();

        /** What the bulk loader has thrown; written before the batch is over. */
        private @Nullable Throwable failure;

        Batch(Member<K, V> leader) {
            this.leader = leader;
        }

        boolean isClosed() {
            return closed.getCount() == 0;
        }
    }

    @Override
    public LoadedValue<V> load(K key, @Nullable PreviousValue<V> previous) throws Exception {
        while (true) {
            Member<K, V> member = new Member<>(key);
            Batch<K, V> batch = join(member);
            if (batch.leader == member) {
                lead(batch);
            } else {
                follow(batch, member);
            }
            if (member.loaded != null) {
                return member.loaded;
            }
        }
    }

    private Batch<K, V> join(Member<K, V> member) {
        lock.lock();
        try {
            Batch<K, V> batch = open == null ? new Batch<>(member) : open;
            batch.members.add(member);
            if (batch.members.size() >= maxKeys || (open == null && calls == 0)) {
                close(batch);
            } else {
                open = batch;
            }
            return batch;
        } finally {
            lock.unlock();
        }
    }

    /** Closes a batch, unless it is closed: nobody joins it or leaves it any more. */
    private void close(Batch<K, V> batch) {
        lock.lock();
        try {
            if (!batch.isClosed()) {
                open = null; // it is this one, or there is none
                calls++;
                batch.closed.countDown();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Loads a batch on this thread, after its window. Whatever happens, the batch is over then. */
    private void lead(Batch<K, V> batch) throws Exception {
        try {
            if (!batch.isClosed()) {
                time.await(batch.closed, maxDelayNanos);
                close(batch);
            }
            call(batch);
        } finally {
            end(batch);
        }
    }

    private void call(Batch<K, V> batch) throws Exception {
        Set<K> keys = new LinkedHashSet<>(batch.members.size() * 2);
        batch.members.forEach(member -> keys.add(member.key));
        try {
            Map<? extends K, ? extends @Nullable LoadedValue<V>> loaded =
                    checked(origin.loadAll(Collections.unmodifiableSet(keys)));
            for (Member<K, V> member : batch.members) { // on this thread: the map is user code
                LoadedValue<V> value = loaded.get(member.key);
                if (value != null && value.isNotModified()) {
                    throw new IllegalStateException("the bulk loader returned notModified, without a previous value");
                }
                member.loaded = value == null ? LoadedValue.absent() : value;
            }
        } catch (Throwable e) {
            if (!Thread.currentThread().isInterrupted() && !Thrown.isInterrupt(e)) {
                batch.failure = e;
            }
            throw e;
        }
    }

    /** Ends a batch: what waits for the origin to be idle is called next, and what waits for this batch is woken. */
    private void end(Batch<K, V> batch) {
        lock.lock();
        try {
            close(batch); // if its leader was interrupted in the window
            calls--;
            if (calls == 0 && open != null) {
                close(open);
            }
        } finally {
            lock.unlock();
            batch.over.release();
        }
    }

    /** Waits for the end of a batch; throws what the bulk loader has thrown. */
    private void follow(Batch<K, V> batch, Member<K, V> member) throws Exception {
        boolean isOver = false;
        try {
            isOver = batch.over.await(time, WITHOUT_TIMER);
        } finally {
            if (!isOver) {
                leave(batch, member);
            }
        }
        if (batch.failure != null) {
            GatheringLoader.<Exception>rethrow(batch.failure);
        }
    }

    @SuppressWarnings("unchecked") // unchecked also at run time: whatever it is, it is thrown
    private static <X extends Throwable> void rethrow(Throwable failure) throws X {
        throw (X) failure;
    }

    private void leave(Batch<K, V> batch, Member<K, V> member) {
        lock.lock();
        try {
            if (!batch.isClosed()) {
                batch.members.remove(member);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether no call is in progress, and no batch gathers. Valid if nobody loads at this time. */
    boolean isIdle() {
        return calls == 0 && open == null;
    }
}
