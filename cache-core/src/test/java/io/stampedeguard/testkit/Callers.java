package io.stampedeguard.testkit;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Threads that call a cache, released at one instant, and the results of their calls. */
public final class Callers implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 60;

    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    });

    /** A running or ended call. */
    public static final class Call<T extends @Nullable Object> {
        private final Future<T> future;
        private volatile @Nullable Thread thread;

        private Call(ExecutorService threads, Callable<T> work) {
            future = threads.submit(() -> {
                thread = Thread.currentThread();
                return work.call();
            });
        }

        /** Waits for the call and returns its result; fails if the call failed. */
        public T result() throws Exception {
            return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }

        /** Waits for the call and returns its exception; fails if it had none. */
        public Throwable failure() throws InterruptedException, TimeoutException {
            try {
                T result = future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
                throw new AssertionError("no failure but " + result);
            } catch (ExecutionException e) {
                return e.getCause();
            }
        }

        /** Returns whether the call has ended. */
        public boolean isOver() {
            return future.isDone();
        }

        /** Interrupts the calling thread. */
        public void interrupt() {
            Thread caller = thread;
            if (caller == null) {
                throw new IllegalStateException("the call has not begun");
            }
            caller.interrupt();
        }
    }

    /** Waits for calls and returns their results, in order; fails if one failed. */
    public static <T extends @Nullable Object> List<T> results(Collection<Call<T>> calls) throws Exception {
        List<T> results = new ArrayList<>();
        for (Call<T> call : calls) {
            results.add(call.result());
        }
        return results;
    }

    /** Waits for futures and returns their values, in order; fails if one failed. */
    public static <T extends @Nullable Object> List<T> values(Collection<CompletableFuture<T>> futures)
            throws Exception {
        List<T> values = new ArrayList<>();
        for (CompletableFuture<T> future : futures) {
            values.add(result(future));
        }
        return values;
    }

    /** Waits for a future and returns its value; fails if it failed. */
    public static <T extends @Nullable Object> T result(CompletableFuture<T> future) throws Exception {
        return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** Waits for a future and returns its exception; fails if it had none. */
    public static Throwable failure(CompletableFuture<?> future) throws Exception {
        Throwable failure = future.handle((value, thrown) -> thrown).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (failure == null) {
            throw new AssertionError("no failure but " + future.join());
        }
        return failure;
    }

    /** Starts one call. */
    public <T extends @Nullable Object> Call<T> call(Callable<T> work) {
        return new Call<>(threads, work);
    }

    /** Starts many calls at one instant. */
    public <T extends @Nullable Object> List<Call<T>> call(int callers, Callable<T> work) throws InterruptedException {
        CountDownLatch ready = new CountDownLatch(callers);
        CountDownLatch go = new CountDownLatch(1);
        List<Call<T>> calls = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
            calls.add(call(() -> {
                ready.countDown();
                go.await();
                return work.call();
            }));
        }
        ready.await();
        go.countDown();
        return calls;
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
