package io.stampedeguard.redis;

import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Creates threads of which some cannot be started, as when the system permits no more of them. <em>Thread-safe.</em>
 *
 * @param failing the failing ones, counted from 1
 * @param started how many threads were to be started
 */
record FailingThreads(Set<Integer> failing, AtomicInteger started) implements ThreadFactory {
    FailingThreads(Integer... failing) {
        this(Set.of(failing), new AtomicInteger());
    }

    @Override
    public Thread newThread(Runnable task) {
        if (failing.contains(started.incrementAndGet())) {
            throw new OutOfMemoryError("unable to create native thread: possibly out of memory or process limits");
        }
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    }
}
