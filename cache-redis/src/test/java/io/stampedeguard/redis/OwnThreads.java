package io.stampedeguard.redis;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * The threads of one action: the one that runs it, and those that it starts, directly or not. They distinguish a test
 * from others that run at the same time. The timer that all caches of a JVM share belongs to no action.
 */
public final class OwnThreads {
    private final ThreadGroup group = new ThreadGroup("of one action");

    /** Runs an action on a new thread, and waits for its end. */
    public void run(Runnable action) {
        FutureTask<Void> task = new FutureTask<>(action, null);
        new Thread(group, task, Thread.currentThread().getName()).start();
        try {
            task.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) e.getCause();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns whether the current thread is one of them. */
    boolean haveCurrent() {
        return group.parentOf(Thread.currentThread().getThreadGroup());
    }

    /** Returns those with a name that are alive. */
    public List<Thread> alive(String name) {
        Thread[] all = new Thread[1_000];
        return Arrays.stream(all, 0, group.enumerate(all))
                .filter(thread -> thread.getName().equals(name))
                .toList();
    }
}
