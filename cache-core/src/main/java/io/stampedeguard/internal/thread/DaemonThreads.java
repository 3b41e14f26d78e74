package io.stampedeguard.internal.thread;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A factory of daemon threads with numbered names. The threads inherit nothing from the caller that happens to need one. */
public final class DaemonThreads implements ThreadFactory {
    private static final long IDLE_SECONDS = 10;

    private final AtomicInteger count = new AtomicInteger();
    private final @Nullable ClassLoader classes = Thread.currentThread().getContextClassLoader();
    private final String prefix;

    public DaemonThreads(String prefix) {
        this.prefix = prefix;
    }

    /** Creates a pool without a queue: idle threads are reused, and beyond the given number of threads, tasks are rejected. */
    static ThreadPoolExecutor cachedPool(int most, ThreadFactory threads) {
        return new ThreadPoolExecutor(0, most, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), threads);
    }

    /** Creates a pool with at most the given number of threads, which end when they are idle. */
    public static ThreadPoolExecutor pool(int number, BlockingQueue<Runnable> queue, ThreadFactory threads) {
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(number, number, IDLE_SECONDS, TimeUnit.SECONDS, queue, threads);
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    @Override
    public Thread newThread(Runnable task) {
        Thread thread = new Thread(null, task, prefix + count.incrementAndGet(), 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(classes);
        return thread;
    }
}
