package io.stampedeguard.redis.internal.filter;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The daemon threads of a {@code RedisKeyFilter}: one that loads while there is something to load, one that sees to a
 * rebuild; gone after 10 s without. <em>Thread-safe.</em>
 */
final class FilterThreads implements Executor {
    private static final long IDLE_SECONDS = 10;

    private final ExecutorService threads = new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            FilterThreads::daemon,
            new ThreadPoolExecutor.DiscardPolicy());

    /** Nothing of the caller sticks to the thread. */
    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(null, task, "stampedeguard-redis-filter", 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(FilterThreads.class.getClassLoader());
        return thread;
    }

    /** Does something on one of the threads, now; not any more once they are shut down. */
    @Override
    public void execute(Runnable task) {
        threads.execute(task);
    }

    /** What is being done goes on. */
    void shutdown() {
        threads.shutdown();
    }
}
