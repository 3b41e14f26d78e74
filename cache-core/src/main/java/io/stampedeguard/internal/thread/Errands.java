package io.stampedeguard.internal.thread;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * What a cache has to do that nobody waits for: giving back leases that nobody needs and reporting loads that were cut off, one
 * after another on one thread; and renewing leases, on threads of their own. Threads live while there is something to do.
 * <em>Thread-safe</em>; nothing here blocks.
 */
public final class Errands {
    private static final int LONGEST_QUEUE = 1_024;

    private final Executor executor;

    /** Creates a queue without a thread; the purpose is for the thread's name. */
    public Errands(String cache, String purpose) {
        executor = DaemonThreads.pool(1, new ArrayBlockingQueue<>(LONGEST_QUEUE), threads(cache, purpose));
    }

    /** Creates one for tasks that do not wait for each other, with so many threads at most, and none yet. */
    public Errands(String cache, String purpose, int mostThreads) {
        executor = DaemonThreads.cachedPool(mostThreads, threads(cache, purpose));
    }

    private static DaemonThreads threads(String cache, String purpose) {
        return new DaemonThreads("stampede-" + cache + "-" + purpose + "-");
    }

    /**
     * Queues an errand. False if there is no room, as may be when a store fails again and again: leases then die by
     * themselves.
     */
    public boolean run(Runnable errand) {
        try {
            executor.execute(errand);
            return true;
        } catch (RejectedExecutionException | OutOfMemoryError e) { // the latter where no thread can be started
            return false;
        }
    }
}
