package io.stampedeguard.internal.thread;

import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A bound on how many tasks are in their first part concurrently. The others have no thread yet: thousands of virtual threads
 * that start at once would delay those whose answer from the store has arrived, and would queue for connections ahead of
 * renewals and publications. First come, first served. <em>Thread-safe</em>; no method blocks.
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

    /** Starts a task in its turn, which must call {@link #over} once; {@link RejectedExecutionException} if the queue is full. */
    void start(Runnable task) {
        if (!queue.offer(task)) {
            throw new RejectedExecutionException("too many tasks are waiting to start");
        }
        startNext();
    }

    /** Passes the turn of this task to the next one. */
    void over() {
        free.incrementAndGet();
        startNext();
    }

    private void startNext() {
        while (!queue.isEmpty() && take()) {
            Runnable next = queue.poll();
            if (next == null) {
                free.incrementAndGet(); // another task was faster; and one may have been added since
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
            // The cache was closed: no caller waits for this task any more.
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
