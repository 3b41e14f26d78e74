package io.stampedeguard.redis.internal.connect;

import io.stampedeguard.internal.failure.CallbackLog;
import io.stampedeguard.time.TimeSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Daemon threads for background work: as many as there are concurrent tasks. They end after 10 s without work. A task for which
 * no thread can be started is retried each second. <em>Thread-safe.</em>
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

    public BackgroundThreads(ThreadFactory factory, TimeSource time) {
        this.threads = new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                factory,
                (task, closed) -> task.run()); // only cleanup is left to do
        this.time = time;
    }

    /** Creates a daemon thread, which inherits nothing from the caller that happens to need it. */
    public static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(null, task, name, 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(BackgroundThreads.class.getClassLoader());
        return thread;
    }

    /** Runs a task on one of the threads, now or as soon as one can be started; after a shutdown, on the caller's. */
    public void execute(Runnable task) {
        if (!tryToExecute(task)) {
            later(AGAIN_NANOS, task);
        }
    }

    /** Runs a task on one of the threads, now. Returns false, without running it, if no thread can be started. */
    public boolean tryToExecute(Runnable task) {
        try {
            threads.execute(task);
            return true;
        } catch (VirtualMachineError
                | SecurityException noThread) { // no memory, no more threads, or the caller's stack is full
            CallbackLog.debug(LOG, "Could not start a background thread of the store", noThread);
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
            // The timer has queued the task, and runs it with its next one.
            CallbackLog.debug(LOG, "Could not start the timer thread", noThread);
        }
    }

    public void shutdownNow() {
        threads.shutdownNow();
    }
}
