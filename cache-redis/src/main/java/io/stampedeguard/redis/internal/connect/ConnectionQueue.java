package io.stampedeguard.redis.internal.connect;

import io.stampedeguard.time.TimeSource;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Admits callers to a number of connections:
 *
 * <ol>
 *   <li>a caller that finds a connection free takes it, even if others are waiting, as long as the first of them has waited for
 *       less than 10 ms: a running thread uses the connection at once, while a waiting one has to be woken first;
 *   <li>otherwise callers queue, and are admitted first come, first served.
 * </ol>
 *
 * <p>So the queue costs little while it is short, and nobody starves when it is long. <em>Thread-safe</em>; nothing is locked
 * while a caller is admitted, and virtual threads are not pinned while they wait.
 */
final class ConnectionQueue {
    static final long PASSING_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Queue<Waiting> waiting = new ConcurrentLinkedQueue<>();
    private final Semaphore free;
    private final TimeSource time;

    /** One caller that waits. Each is equal to itself only. */
    private static final class Waiting {
        private final long sinceNanos;

        Waiting(long sinceNanos) {
            this.sinceNanos = sinceNanos;
        }
    }

    ConnectionQueue(int connections, TimeSource time) {
        this.free = new Semaphore(connections, true);
        this.time = time;
    }

    /** Admits the caller if that is possible at once; whoever is admitted has to {@link #leave}. */
    boolean tryEnter() {
        return mayPass() && free.tryAcquire();
    }

    /** Returns whether a caller may pass those that are waiting. */
    boolean mayPass() {
        Waiting first = waiting.peek();
        return first == null || time.monotonicNanos() - first.sinceNanos < PASSING_NANOS;
    }

    /**
     * Admits the caller, who waits for it in the queue; whoever is admitted has to {@link #leave}.
     *
     * @return whether the caller was admitted within its patience
     */
    boolean enter(long patienceNanos) throws InterruptedException {
        Waiting caller = new Waiting(time.monotonicNanos());
        waiting.add(caller);
        try {
            return free.tryAcquire(patienceNanos, TimeUnit.NANOSECONDS);
        } finally {
            waiting.remove(caller);
        }
    }

    void leave() {
        free.release();
    }

    int free() {
        return free.availablePermits();
    }

    int waiting() {
        return free.getQueueLength();
    }
}
