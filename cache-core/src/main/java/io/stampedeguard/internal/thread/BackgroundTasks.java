package io.stampedeguard.internal.thread;

import io.stampedeguard.time.TimeSource;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Tasks of a cache that no caller waits for: releasing unneeded leases and reporting loads that were cut off, one after another
 * on one thread; publishing what callers left, on another one; renewing leases, on separate threads. Idle threads end. <em>Thread-safe</em>; no method waits for a task. The lock
 * is held while a task is queued or the queue is closed: a {@code ThreadPoolExecutor} that is shut down while it starts the first
 * thread for one task would not start that thread, and forget another task that was queued behind it.
 */
public final class BackgroundTasks implements AutoCloseable {
    private static final int LONGEST_QUEUE = 1_024;

    private final ReentrantLock starting = new ReentrantLock();
    private final ThreadPoolExecutor executor;
    private final TimeSource time;

    /** Creates a queue, not yet with a thread; the purpose is part of the thread's name. */
    public BackgroundTasks(String cache, String purpose, TimeSource time) {
        this(threads(cache, purpose), time);
    }

    BackgroundTasks(ThreadFactory threads, TimeSource time) {
        this.time = time;
        executor = DaemonThreads.pool(1, new ArrayBlockingQueue<>(LONGEST_QUEUE), threads);
    }

    /** Creates a queue for independent tasks, with at most the given number of threads. */
    public BackgroundTasks(String cache, String purpose, int mostThreads, TimeSource time) {
        this.time = time;
        executor = DaemonThreads.cachedPool(mostThreads, threads(cache, purpose));
    }

    private static DaemonThreads threads(String cache, String purpose) {
        return new DaemonThreads("stampede-" + cache + "-" + purpose + "-");
    }

    /**
     * Queues a task. Returns false if the queue is closed, or full, as may happen if a store fails repeatedly: leases then expire; or
     * if the time source throws.
     */
    public boolean run(Runnable task) {
        starting.lock();
        try {
            time.execute(executor, task);
            return true;
        } catch (RuntimeException | Error e) { // the latter if no thread can be started, for instance
            return false;
        } finally {
            starting.unlock();
        }
    }

    /** Returns whether no more tasks are accepted. */
    public boolean isClosed() {
        return executor.isShutdown();
    }

    /** Accepts no more tasks, and ends the threads when the queued ones are done. Does not wait for them. */
    @Override
    public void close() {
        starting.lock();
        try {
            executor.shutdown();
        } finally {
            starting.unlock();
        }
    }
}
