package io.stampedeguard.redis.internal.connect;

import io.stampedeguard.time.TimeSource;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The queue of callers for a number of connections:
 *
 * <ol>
 *   <li>lease holders come first: they get the next free connection;
 *   <li>another caller that finds a free connection takes it even if others wait, as long as the first of them has waited for
 *       less than 10 ms: a running thread uses the connection at once, while a waiting one must be woken first;
 *   <li>otherwise callers queue, and are admitted first come, first served.
 * </ol>
 *
 * <p>So a short queue costs little, and no caller starves in a long one. A caller that returns a connection, or leaves the
 * queue, wakes the first in the queue if a connection is free; only the first takes one. <em>Thread-safe.</em> Admission takes
 * no lock, and waiting virtual threads are not pinned.
 */
final class ConnectionQueue {
    static final long PASSING_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Queue<Waiting> leaseHolders = new ConcurrentLinkedQueue<>();
    private final Queue<Waiting> others = new ConcurrentLinkedQueue<>();
    private final AtomicInteger free;
    private final TimeSource time;

    /** A waiting caller. Each is equal only to itself. */
    private static final class Waiting {
        private final Semaphore wakeUps = new Semaphore(0);
        private final long sinceNanos;

        Waiting(long sinceNanos) {
            this.sinceNanos = sinceNanos;
        }
    }

    ConnectionQueue(int connections, TimeSource time) {
        this.free = new AtomicInteger(connections);
        this.time = time;
    }

    /** Admits a caller if that is possible at once; an admitted caller must {@link #leave}. */
    boolean tryEnter(boolean holdsLease) {
        return mayPass(holdsLease) && take();
    }

    /**
     * Returns whether a caller may pass waiting ones: lease holders do not wait for others, and others never pass a lease
     * holder.
     */
    boolean mayPass(boolean holdsLease) {
        Waiting first = holdsLease ? leaseHolders.peek() : first();
        if (first == null) {
            return true;
        }
        boolean isBehindLeaseHolders = !holdsLease && !leaseHolders.isEmpty();
        return !isBehindLeaseHolders && time.monotonicNanos() - first.sinceNanos < PASSING_NANOS;
    }

    /**
     * Admits a caller, which waits in the queue; an admitted caller must {@link #leave}.
     *
     * @return whether the caller was admitted in time
     */
    boolean enter(boolean holdsLease, long patienceNanos) throws InterruptedException {
        Queue<Waiting> queue = holdsLease ? leaseHolders : others;
        Waiting caller = new Waiting(time.monotonicNanos());
        queue.add(caller);
        try {
            long left = patienceNanos;
            while (!(first() == caller && take())) {
                if (left <= 0) {
                    return false;
                }
                boolean woken = caller.wakeUps.tryAcquire(left, TimeUnit.NANOSECONDS);
                left = woken ? patienceNanos - (time.monotonicNanos() - caller.sinceNanos) : 0;
            }
            return true;
        } finally {
            queue.remove(caller);
            wakeFirst();
        }
    }

    void leave() {
        free.incrementAndGet();
        wakeFirst();
    }

    private boolean take() {
        int present = free.get();
        while (present > 0) {
            if (free.compareAndSet(present, present - 1)) {
                return true;
            }
            present = free.get();
        }
        return false;
    }

    /** To be called after a connection became free, or the first changed: each caller checks again after it was queued. */
    private void wakeFirst() {
        Waiting first = first();
        if (first != null && free.get() > 0) {
            first.wakeUps.release();
        }
    }

    private @Nullable Waiting first() {
        Waiting leaseHolder = leaseHolders.peek();
        return leaseHolder == null ? others.peek() : leaseHolder;
    }

    int free() {
        return free.get();
    }

    int waiting() {
        return leaseHolders.size() + others.size();
    }
}
