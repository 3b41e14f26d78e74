package io.stampedeguard.redis.internal.connect;

import io.stampedeguard.time.TimeSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Daemon threads for what a store does in the background: as many as there are tasks at once, gone after 10 s without. A task for
 * which no thread can be started is tried again each second. <em>Thread-safe.</em>
 */
public final class BackgroundThreads {
    private static final long IDLE_SECONDS = 10;
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final Logger LOG = LoggerFactory.getLogger(LoggerNames.STORE);

    private final ExecutorService threads;
    private final TimeSource time;

    public BackgroundThreads(String name, TimeSource time) {
        this(task -> daemon(task, name), time);
    }

    /** Creates threads that a factory starts. */
    public BackgroundThreads(ThreadFactory factory, TimeSource time) {
        this.threads = new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                factory,
                (task, closed) -> task.run()); // there is nothing left to do but to tidy up
        this.time = time;
    }

    /** Nothing of the caller that happens to need the thread sticks to it. */
    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(null, task, name, 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(BackgroundThreads.class.getClassLoader());
        return thread;
    }

    /** Runs a task on one of the threads, now or as soon as there is one; on the caller's once they are shut down. */
    public void execute(Runnable task) {
        if (!tryToExecute(task)) {
            later(AGAIN_NANOS, task);
        }
    }

    /**
     * Runs a task on one of the threads, now.
     *
     * @return false if no thread can be started; the task is then not run
     */
    public boolean tryToExecute(Runnable task) {
        try {
            threads.execute(task);
            return true;
        } catch (OutOfMemoryError noThread) { // also where the system allows no more of them
            LOG.debug("No thread for the background of the store", noThread);
            return false;
        }
    }

    /** Runs a task on one of the threads, after so many nanoseconds. Does not block. */
    public void later(long nanos, Runnable task) {
        if (nanos <= 0) {
            execute(task);
            return;
        }
        try {
            time.schedule(nanos, () -> execute(task));
        } catch (OutOfMemoryError noThread) {
            // The timer has the task, and runs it with its next one.
            LOG.debug("No thread for the timer", noThread);
        }
    }

    /** Interrupts the threads, which end. */
    public void shutdownNow() {
        threads.shutdownNow();
    }
}
