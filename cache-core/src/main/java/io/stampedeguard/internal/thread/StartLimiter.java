package io.stampedeguard.internal.thread;

import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A bound on how many tasks are in their first part at once. The others have no thread yet: thousands of virtual threads
 * that begin at once would keep the processors from those whose answer from the store has come, and would queue for
 * its connections before those who renew and publish. First come, first served. <em>Thread-safe</em>; nothing here waits.
 */
final class StartLimiter {
    private final AtomicInteger free;
    private final Queue<Runnable> queue;
    private final Executor threads;

    StartLimiter(int turns, int longestQueue, Executor threads) {
        this.free = new AtomicInteger(turns);
        this.queue = new LinkedBlockingQueue<>(longestQueue);
        this.threads = threads;
    }

    /**
     * Starts a task when its turn has come. It must call {@link #over} once.
     *
     * @throws RejectedExecutionException if the queue is full
     */
    void start(Runnable task) {
        if (!queue.offer(task)) {
            throw new RejectedExecutionException("too many wait for their turn");
        }
        startNext();
    }

    /** Gives the turn of this task to the next. */
    void over() {
        free.incrementAndGet();
        startNext();
    }

    private void startNext() {
        while (!queue.isEmpty() && take()) {
            Runnable next = queue.poll();
            if (next == null) {
                free.incrementAndGet(); // another was faster; and somebody may have come since
            } else {
                begin(next);
            }
        }
    }

    private void begin(Runnable next) {
        boolean begun = false;
        try {
            threads.execute(next);
            begun = true;
        } catch (RejectedExecutionException e) {
            // The cache was closed: nobody waits for this any more.
        } finally {
            if (!begun) {
                free.incrementAndGet();
            }
        }
    }

    private boolean take() {
        return free.getAndUpdate(turns -> Math.max(0, turns - 1)) > 0;
    }
}
