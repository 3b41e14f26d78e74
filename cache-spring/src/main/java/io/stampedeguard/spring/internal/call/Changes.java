package io.stampedeguard.spring.internal.call;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.time.TimeSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.ClassUtils;

/**
 * Runs changes on the thread of their caller; if that must not block, as Reactor's threads, on a thread of its own, one after another.
 * Later changes and look-ups of this process wait for those, except for blocking look-ups by such threads. If too many wait, further ones
 * of a cache are replaced by one clear of it, which removes what they change. <em>Thread-safe.</em>
 */
public final class Changes implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Changes.class);
    private static final boolean IS_REACTOR_PRESENT =
            ClassUtils.isPresent("reactor.core.scheduler.Schedulers", Changes.class.getClassLoader());
    private static final int IDLE_SECONDS = 10;
    private static final int MOST_WAITING = 10_000;
    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long CLEAR_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final TimeSource time = TimeSource.system();
    private final ThreadPoolExecutor executor;
    private volatile @Nullable Thread own;

    /** Of the change that was handed over last; never fails. */
    private volatile CompletableFuture<Void> last = CompletableFuture.allOf(); // done

    /** The caches whose clear waits, in place of changes. */
    private final Set<StampedeGuardedCache<?, ?>> clearing = new HashSet<>();

    public Changes() {
        executor = new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
            Thread thread = new Thread(task, "stampede-changes");
            thread.setDaemon(true);
            own = thread;
            return thread;
        });
        executor.allowCoreThreadTimeOut(true);
    }

    /** Makes a change after those that were handed over before; this call waits for that unless this thread must not block. */
    void run(StampedeGuardedCache<?, ?> cache, Runnable change) {
        if (IS_REACTOR_PRESENT && NonBlocking.isCurrentThread()) {
            handOver(cache, change);
        } else {
            awaitThoseOfThisProcess();
            change.run();
        }
    }

    private synchronized void handOver(StampedeGuardedCache<?, ?> cache, Runnable change) {
        if (clearing.contains(cache)) {
            return; // the clear comes later than now
        }
        if (executor.getQueue().size() >= MOST_WAITING) {
            handOverClear(cache);
        } else {
            enqueue(new Waiting(cache, change, new CompletableFuture<>()));
        }
    }

    private void handOverClear(StampedeGuardedCache<?, ?> cache) {
        clearing.add(cache);
        enqueue(new Waiting(cache, () -> clear(cache), new CompletableFuture<>()));
    }

    private void enqueue(Waiting change) {
        executor.execute(change);
        last = change.made();
    }

    private void clear(StampedeGuardedCache<?, ?> cache) {
        synchronized (this) {
            clearing.remove(cache); // first: it may miss changes from now on
        }
        cache.invalidateAll();
    }

    /** Makes a change, and returns its result; true if it is made later. */
    boolean call(StampedeGuardedCache<?, ?> cache, BooleanSupplier change) {
        boolean[] result = {true};
        run(cache, () -> result[0] = change.getAsBoolean());
        return result[0];
    }

    /** Waits for the changes that were handed over before, unless this thread must not block, or makes them: for a listener. */
    void awaitThoseOfThisProcess() {
        CompletableFuture<Void> before = last;
        if (!before.isDone()
                && !Thread.currentThread().equals(own)
                && !(IS_REACTOR_PRESENT && NonBlocking.isCurrentThread())) {
            before.join();
        }
    }

    /** Begins an asynchronous call when the changes that were handed over before are made. */
    <T extends @Nullable Object> CompletableFuture<T> afterThoseOfThisProcess(Supplier<CompletableFuture<T>> call) {
        CompletableFuture<Void> before = last;
        return before.isDone() ? call.get() : before.thenCompose(done -> call.get());
    }

    /**
     * Waits for the changes that were handed over, up to a limit, or until an interrupt. Then a clear of each cache replaces those that
     * have not begun, for which this call waits up to another limit.
     */
    @Override
    public void close() {
        boolean isUndisturbed = awaitLast(CLOSE_NANOS);
        clearInPlaceOfChanges();
        isUndisturbed &= awaitLast(CLEAR_NANOS);
        shutDown();
        if (!isUndisturbed) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for the last change up to a limit; returns false if an interrupt has ended that. */
    @SuppressWarnings("FutureReturnValueIgnored") // it does not fail
    private boolean awaitLast(long nanos) {
        CountDownLatch made = new CountDownLatch(1);
        last.thenRun(made::countDown);
        try {
            time.await(made, Thread.currentThread().equals(own) ? 0 : nanos);
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    private synchronized void shutDown() {
        executor.shutdown();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // it does not fail
    private synchronized void clearInPlaceOfChanges() {
        if (executor.isShutdown()) {
            return; // by an earlier call
        }
        List<Runnable> left = new ArrayList<>();
        executor.getQueue().drainTo(left);
        List<Waiting> replaced = left.stream().map(Waiting.class::cast).toList();
        replaced.stream()
                .<StampedeGuardedCache<?, ?>>map(Waiting::cache)
                .distinct()
                .forEach(this::handOverClear);
        last.thenRun(() -> replaced.forEach(change -> change.made().complete(null)));
    }

    /** A change that waits. */
    private record Waiting(StampedeGuardedCache<?, ?> cache, Runnable change, CompletableFuture<Void> made)
            implements Runnable {
        @Override
        public void run() {
            try {
                change.run();
            } catch (RuntimeException | Error e) {
                LOG.warn("A change of a cache has failed, on behalf of a thread that must not block", e);
            } finally {
                made.complete(null);
            }
        }
    }

    /** Apart, because Reactor may be absent. */
    private static final class NonBlocking {
        static boolean isCurrentThread() {
            return reactor.core.scheduler.Schedulers.isInNonBlockingThread();
        }
    }
}
