package io.stampedeguard.architecture.broken;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;

/** Waits, in a different way in each method. */
public final class Waits {
    void sleep() throws Exception {
        Thread.sleep(1);
    }

    void unitSleep() throws Exception {
        TimeUnit.SECONDS.sleep(1);
    }

    void joinThread(Thread thread) throws Exception {
        thread.join(1);
    }

    void monitor(Object monitor) throws Exception {
        monitor.wait(1);
    }

    void park() {
        LockSupport.park();
    }

    void parkNanos() {
        LockSupport.parkNanos(1);
    }

    boolean latch(CountDownLatch latch) throws Exception {
        return latch.await(1, TimeUnit.SECONDS);
    }

    void endlessLatch(CountDownLatch latch) throws Exception {
        latch.await();
    }

    Object future(Future<?> future) throws Exception {
        return future.get(1, TimeUnit.SECONDS);
    }

    Object completable(CompletableFuture<?> future) {
        return future.join();
    }

    Object expiring(CompletableFuture<?> future) {
        return future.orTimeout(1, TimeUnit.SECONDS);
    }

    long condition(Condition condition) throws Exception {
        return condition.awaitNanos(1);
    }

    boolean lock(Lock lock) throws Exception {
        return lock.tryLock(1, TimeUnit.SECONDS);
    }

    boolean semaphore(Semaphore semaphore) throws Exception {
        return semaphore.tryAcquire(1, TimeUnit.SECONDS);
    }

    Object queue(BlockingQueue<?> queue) throws Exception {
        return queue.poll(1, TimeUnit.SECONDS);
    }

    boolean executor(ExecutorService executor) throws Exception {
        return executor.awaitTermination(1, TimeUnit.SECONDS);
    }
}
