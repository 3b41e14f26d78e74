package io.stampedeguard.internal.refresh;

import io.stampedeguard.internal.thread.DaemonThreads;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The threads of background reloads, and their queue, both bounded. <em>Thread-safe</em>; the lock guards the change of both bounds
 * of the pool, of which the lower must never exceed the upper.
 */
final class RefreshThreads implements Executor, AutoCloseable {
    private static final int LONGEST_QUEUE = 1_024;

    private final ReentrantLock resizing = new ReentrantLock();
    private final ThreadPoolExecutor pool;

    RefreshThreads(String cache, int number) {
        DaemonThreads threads = new DaemonThreads("stampede-" + cache + "-refresh-");
        pool = DaemonThreads.pool(number, new ArrayBlockingQueue<>(LONGEST_QUEUE), threads);
    }

    @Override
    public void execute(Runnable task) {
        pool.execute(task);
    }

    /** Sets the number of threads, unless another thread is setting it. */
    void resize(int wanted) {
        if (wanted == pool.getCorePoolSize() || !resizing.tryLock()) {
            return;
        }
        try {
            if (wanted > pool.getCorePoolSize()) {
                pool.setMaximumPoolSize(wanted);
                pool.setCorePoolSize(wanted);
            } else {
                pool.setCorePoolSize(wanted);
                pool.setMaximumPoolSize(wanted);
            }
        } finally {
            resizing.unlock();
        }
    }

    int number() {
        return pool.getMaximumPoolSize();
    }

    @Override
    public void close() {
        pool.shutdownNow();
    }
}
