package io.stampedeguard.testbed.fleet;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/** Threads of a member that get ready, wait for the release, and then do their work. <em>Thread-safe.</em> */
public final class ReleasedThreads {
    private final CountDownLatch ready;
    private final CountDownLatch ended;

    private ReleasedThreads(int count) {
        this.ready = new CountDownLatch(count);
        this.ended = new CountDownLatch(count);
    }

    /** The work of one thread. */
    @FunctionalInterface
    public interface Work {
        /**
         * Waits for the instant of the release, and does the work.
         *
         * @param released the instant, usually in the near future, in microseconds since the epoch
         * @throws InterruptedException if the thread is interrupted, which ends its work
         */
        void run(long released) throws InterruptedException;
    }

    /**
     * Starts the threads.
     *
     * @param workOf the work of a thread, by its number from 0; called on this thread
     */
    public static ReleasedThreads start(
            int count, Executor threads, CompletableFuture<Long> release, IntFunction<Work> workOf) {
        ReleasedThreads all = new ReleasedThreads(count);
        for (int i = 0; i < count; i++) {
            Work work = workOf.apply(i);
            threads.execute(() -> all.run(release, work));
        }
        return all;
    }

    private void run(CompletableFuture<Long> release, Work work) {
        try {
            ready.countDown();
            work.run(release.join());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            ended.countDown();
        }
    }

    /** Waits until each thread waits for the release. */
    public void awaitReady() throws InterruptedException {
        ready.await();
    }

    /** Waits for the end of the last thread. */
    public void awaitEnd() throws InterruptedException {
        ended.await();
    }

    /** Waits for the end of the last thread for a limited time. */
    public boolean awaitEnd(long millis) throws InterruptedException {
        return ended.await(millis, TimeUnit.MILLISECONDS);
    }
}
