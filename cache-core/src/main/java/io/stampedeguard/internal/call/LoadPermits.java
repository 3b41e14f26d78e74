package io.stampedeguard.internal.call;

import io.stampedeguard.time.TimeSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The bound on concurrent loads of one cache in one process. First come, first served: a permit given back goes to the
 * one who has waited longest. <em>Thread-safe</em>; the lock guards {@code free} and {@code queue}, and nobody waits
 * while holding it.
 */
final class LoadPermits {
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<CountDownLatch> queue = new ArrayDeque<>();
    private final TimeSource time;
    private final AtomicInteger waiting = new AtomicInteger();
    private volatile int free;

    LoadPermits(int permits, TimeSource time) {
        this.free = permits;
        this.time = time;
    }

    /** Takes a permit if one is free and nobody waits for it. */
    boolean tryAcquire() {
        return place(null);
    }

    /**
     * Takes a permit, waiting for one.
     *
     * @return whether the caller has one
     */
    boolean acquire(long nanos) throws InterruptedException {
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

    int free() {
        return free;
    }

    int waiting() {
        return waiting.get();
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // written under the lock only
    void release() {
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

    /** Leaves the queue; false if the permit had just been handed over. */
    private boolean withdraw(CountDownLatch waiting) {
        lock.lock();
        try {
            return queue.remove(waiting);
        } finally {
            lock.unlock();
        }
    }
}
