package io.stampedeguard.redis;

import io.stampedeguard.time.TimeSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The daemon threads of {@link RedisNotices} or {@link RedisChanges}: as many as there is to do at once, gone after 10 s
 * without. <em>Thread-safe.</em>
 */
final class NoticeThreads {
    private static final long IDLE_SECONDS = 10;

    private final ExecutorService threads;
    private final TimeSource time;

    NoticeThreads(String name, TimeSource time) {
        this.threads = new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                task -> daemon(task, name),
                (task, closed) -> task.run()); // there is nothing to do then but to tidy up
        this.time = time;
    }

    /** Nothing of the caller that happens to watch first sticks to the thread. */
    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(null, task, name, 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(NoticeThreads.class.getClassLoader());
        return thread;
    }

    /** Does something on one of the threads, now; on the caller's once they are shut down. */
    void execute(Runnable task) {
        threads.execute(task);
    }

    /** Does something on one of the threads, after so many nanoseconds; does not block. */
    void later(long nanos, Runnable task) {
        if (nanos <= 0) {
            threads.execute(task);
        } else {
            time.schedule(nanos, () -> threads.execute(task));
        }
    }

    /** Interrupts the threads, which end. */
    void shutdownNow() {
        threads.shutdownNow();
    }
}
