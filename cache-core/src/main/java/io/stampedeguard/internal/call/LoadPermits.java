package io.stampedeguard.internal.call;

import io.stampedeguard.time.TimeSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The bound on concurrent loads of one cache in one process. First come, first served: a released permit goes to the caller that
 * has waited longest. A loader that asks for another key runs under the permit that its thread has already. <em>Thread-safe</em>;
 * the lock guards {@code free} and {@code queue}, and nothing waits while holding it.
 */
public final class LoadPermits {
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<CountDownLatch> queue = new ArrayDeque<>();
    private final Nesting nesting;
    private final TimeSource time;
    private final AtomicInteger waiting = new AtomicInteger();
    private volatile int free;

    public LoadPermits(int permits, Nesting nesting, TimeSource time) {
        this.free = permits;
        this.nesting = nesting;
        this.time = time;
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

    /** Takes a permit if one is free and no caller waits for it; otherwise returns {@code null}. */
    public @Nullable Permit tryAcquire() {
        Permit permit = new Permit(this); // created first: without memory for it, the permit would never be released
        return place(null) ? permit : null;
    }

    /** Takes a permit, and waits for one; returns {@code null} if none became free in time. */
    public @Nullable Permit acquire(long nanos) throws InterruptedException {
        if (nesting.isInLoader()) {
            return new Permit(null);
        }
        Permit permit = new Permit(this);
        return take(nanos) ? permit : null;
    }

    private boolean take(long nanos) throws InterruptedException {
        CountDownLatch handedOver = new CountDownLatch(1);
        if (place(handedOver)) {
            return true;
        }
        waiting.incrementAndGet();
        try {
            return time.await(handedOver, nanos) || !withdraw(handedOver);
        } catch (InterruptedException | RuntimeException | Error e) {
            if (!withdraw(handedOver)) {
                release();
            }
            throw e;
        } finally {
            waiting.decrementAndGet();
        }
    }

    public int free() {
        return free;
    }

    /** Returns how many callers wait for a permit. */
    public int waiting() {
        return waiting.get();
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // written under the lock only
    private void release() {
        lock.lock();
        try {
            CountDownLatch next = queue.poll();
            if (next == null) {
                free++;
            } else {
                next.countDown();
            }
        } finally {
            lock.unlock();
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // written under the lock only
    private boolean place(@Nullable CountDownLatch waiting) {
        lock.lock();
        try {
            if (free > 0) {
                free--;
                return true;
            }
            if (waiting != null) {
                queue.add(waiting);
            }
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Leaves the queue; returns false if the permit has just been handed over. */
    private boolean withdraw(CountDownLatch waiting) {
        lock.lock();
        try {
            return queue.remove(waiting);
        } finally {
            lock.unlock();
        }
    }
}
