package io.stampedeguard.internal.call;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.event.EventType;
import io.stampedeguard.internal.lease.KeyRequest;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.observe.Failures;
import io.stampedeguard.internal.thread.BackgroundTasks;
import io.stampedeguard.loader.RecursiveLoadException;
import io.stampedeguard.time.TimeSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The bound on concurrent loads of one cache in one process. A released permit goes to the waiting load with the most waiting
 * callers at that moment; each second that a load has waited counts as one more caller, and of equals the longest wait comes
 * first. So a load that has waited for t seconds comes before every load with fewer than t callers more, and a key with one
 * caller is overtaken only by keys with more. A wait still ends with its time. A permit that is not waited for
 * ({@link #tryAcquire}) is never taken before waiting callers.
 * <ul>
 *   <li><em>Nested loads</em>: loaders may ask the cache for other keys, whose loaders may do the same. They do so under the
 *       permit of the first, since one thread runs one loader at a time; and no thread waits for a key that it is loading.
 *   <li><em>Stuck loads</em>, whose loaders ignore their interrupt: as many of them as loads may run at once cost the cache no
 *       more than their threads, because their permits are given to others. Those beyond keep theirs, so threads never pile up.
 *   <li><em>The limit</em> may change ({@link FleetBudget}). No running load is cut off: a lower limit takes effect as permits are
 *       released.
 * </ul>
 *
 * <p>When the cache is closed, callers that wait for a permit fail; those that have one may begin nothing either ({@link
 * LoaderInvoker#close}). <em>Thread-safe</em>; the lock guards {@code limit}, {@code running}, {@code queue}, and the change of
 * {@code closed}, and nothing waits while holding it.
 */
public final class LoadPermits {
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Waiting> queue = new ArrayList<>(); // the longest wait first
    private final CountDownLatch allReleased = new CountDownLatch(1);
    private final String cache;
    private final TimeSource time;
    private final CacheEvents events;
    private final BackgroundTasks tasks;
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger stuck = new AtomicInteger();

    /** What each thread loads. No thread-local: reading one leaves something behind on each thread that ever missed a key. */
    private final Map<Thread, Set<String>> loading = new ConcurrentHashMap<>();

    private volatile int limit;
    private volatile int running;
    private volatile boolean closed;

    public LoadPermits(CacheContext context, BackgroundTasks tasks) {
        this.cache = context.name();
        this.limit = context.policy().maxConcurrentLoads();
        this.time = context.time();
        this.events = context.events();
        this.tasks = tasks;
    }

    /** One permit, which is released once; releasing it again has no effect. <em>Thread-safe.</em> */
    public static final class Permit {
        private final AtomicReference<@Nullable LoadPermits> from;

        private Permit(@Nullable LoadPermits from) {
            this.from = new AtomicReference<>(from);
        }

        public void release() {
            LoadPermits permits = from.getAndSet(null);
            if (permits != null) {
                permits.release();
            }
        }

        /** Moves the permit to another owner; releasing this one has no effect any more. */
        Permit handOver() {
            Permit other = new Permit(null);
            other.from.set(from.getAndSet(null));
            return other;
        }
    }

    /** A load that waits for a permit. */
    private record Waiting(IntSupplier callers, long sinceNanos, CountDownLatch handedOver) {
        private static final double NANOS_PER_CALLER = 1e9;

        /** Returns how many callers wait for the load, with one more for each second of its wait. */
        double weight(long nowNanos) {
            return callers.getAsInt() + (nowNanos - sinceNanos) / NANOS_PER_CALLER;
        }
    }

    /** Takes a permit if one is free and no caller waits for it; otherwise returns {@code null}. */
    public @Nullable Permit tryAcquire() {
        Permit permit = new Permit(this); // created first: without memory for it, the permit would never be released
        return place(null) ? permit : null;
    }

    /**
     * Takes a permit, and waits for one; returns {@code null} if none became free in time. Throws an {@link IllegalStateException}
     * if the cache is closed, or is closed meanwhile.
     *
     * @param callers returns how many callers wait for the load at this moment; called by other threads while this one waits,
     *     under the lock: does not block, throw, or allocate
     */
    public @Nullable Permit acquire(long nanos, IntSupplier callers) throws InterruptedException {
        if (isInLoader()) {
            return new Permit(null);
        }
        Permit permit = new Permit(this);
        if (place(null) || (!closed && take(nanos, callers))) {
            return permit;
        }
        if (closed) {
            throw Failures.closedMeanwhile(cache);
        }
        return null;
    }

    /** Grants no more permits, and ends all waits for one; returns a latch that opens when all permits have been released. */
    public CountDownLatch close() {
        lock.lock();
        try {
            closed = true;
            queue.forEach(each -> each.handedOver.countDown());
            openIfAllReleased();
        } finally {
            lock.unlock();
        }
        return allReleased;
    }

    private void openIfAllReleased() {
        if (closed && running == 0) {
            allReleased.countDown();
        }
    }

    private boolean take(long nanos, IntSupplier callers) throws InterruptedException {
        Waiting begun = new Waiting(callers, time.monotonicNanos(), new CountDownLatch(1));
        if (place(begun)) {
            return true;
        }
        waiting.incrementAndGet();
        try {
            return (time.await(begun.handedOver, nanos) && !closed) || !withdraw(begun);
        } catch (InterruptedException | RuntimeException | Error e) {
            if (!withdraw(begun)) {
                release();
            }
            throw e;
        } finally {
            waiting.decrementAndGet();
        }
    }

    /** Returns how many loads may run at once. */
    public int limit() {
        return limit;
    }

    /** Sets how many loads may run at once; if that is more than before, those that wait are served. */
    void limit(int loads) {
        lock.lock();
        try {
            limit = loads;
            serve();
        } finally {
            lock.unlock();
        }
    }

    /** Returns how many loads hold a permit; more than the limit if it was lowered meanwhile. */
    public int running() {
        return running;
    }

    /** Returns how many callers wait for a permit. */
    public int waiting() {
        return waiting.get();
    }

    /** Returns for how long a load has been waiting for a permit, the longest such wait; 0 if none waits. */
    long longestWaitNanos() {
        lock.lock();
        try {
            return queue.isEmpty() ? 0 : time.monotonicNanos() - queue.get(0).sinceNanos;
        } finally {
            lock.unlock();
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // written under the lock only
    private void release() {
        lock.lock();
        try {
            running--;
            serve();
            openIfAllReleased();
        } finally {
            lock.unlock();
        }
    }

    /** Gives the free permits to loads that wait. Under the lock; afterwards no permit is free, or none is waited for. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // written under the lock only
    private void serve() {
        while (running < limit && !closed && !queue.isEmpty()) {
            running++;
            queue.remove(hottest()).handedOver.countDown();
        }
    }

    /** Returns the place in the queue of the load that is to have the next permit. Allocates nothing: no permit is lost. */
    private int hottest() {
        long now = time.monotonicNanos();
        int hottest = 0;
        double most = 0;
        for (int i = 0; i < queue.size(); i++) {
            double weight = queue.get(i).weight(now);
            if (weight > most) {
                hottest = i;
                most = weight;
            }
        }
        return hottest;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // written under the lock only
    private boolean place(@Nullable Waiting waits) {
        lock.lock();
        try {
            if (running < limit && !closed) {
                running++;
                return true;
            }
            if (waits != null) {
                queue.add(waits);
                if (closed) {
                    waits.handedOver.countDown();
                }
            }
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Leaves the queue; returns false if the permit has just been handed over. */
    private boolean withdraw(Waiting waits) {
        lock.lock();
        try {
            return queue.remove(waits);
        } finally {
            lock.unlock();
        }
    }

    /** Notes that this thread is about to load keys; returns the keys it is loading already, to be passed to {@link #leave}. */
    @Nullable
    Set<String> enter(Collection<? extends KeyRequest<?, ?>> targets) {
        Set<String> outer = loading.get(Thread.currentThread());
        Set<String> all = outer == null ? new HashSet<>() : new HashSet<>(outer);
        for (KeyRequest<?, ?> target : targets) {
            all.add(target.storeKey());
        }
        loading.put(Thread.currentThread(), all);
        return outer;
    }

    void leave(@Nullable Set<String> outer) {
        if (outer == null) {
            loading.remove(Thread.currentThread());
        } else {
            loading.put(Thread.currentThread(), outer);
        }
    }

    /** Returns whether this thread is in a loader of this cache. */
    public boolean isInLoader() {
        return loading.containsKey(Thread.currentThread());
    }

    /** Returns whether any thread is in a loader of this cache; those with a permit may still wait for the store. */
    public boolean isAnyInLoader() {
        return !loading.isEmpty();
    }

    /** Returns the keys that this thread is loading, for which it must not wait. */
    public Set<String> loadedByThisThread() {
        return loading.getOrDefault(Thread.currentThread(), Set.of());
    }

    public static RecursiveLoadException recursion(String storeKey) {
        return new RecursiveLoadException("the loader of " + KeyEncoder.shown(storeKey)
                + " requested the key that it is loading; it may request other keys only");
    }

    /** Counts one more stuck load; returns whether its permit may be given to others. */
    boolean stuckBegins() {
        boolean underCap = stuck.incrementAndGet() <= limit;
        reportStuck();
        return underCap;
    }

    void stuckEnds() {
        stuck.decrementAndGet();
        reportStuck();
    }

    public int stuck() {
        return stuck.get();
    }

    /** Not on the thread of a timer: listeners are user code. */
    private void reportStuck() {
        tasks.run(() -> events.report(EventType.STUCK_LOADS, stuck.get()));
    }
}
