package io.stampedeguard.spring.internal.call;

import io.stampedeguard.StampedeGuardedCache;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
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

    private final ThreadPoolExecutor executor;
    private volatile @Nullable Thread own;
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
        boolean isFull = executor.getQueue().size() >= MOST_WAITING;
        if (isFull) {
            clearing.add(cache);
        }
        last = CompletableFuture.runAsync(isFull ? () -> clear(cache) : change, executor)
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        LOG.warn("A change of a cache has failed, on behalf of a thread that must not block", failure);
                    }
                });
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
            before.handle((done, failure) -> failure == null).join();
        }
    }

    /** Begins an asynchronous call when the changes that were handed over before are made. */
    <T extends @Nullable Object> CompletableFuture<T> afterThoseOfThisProcess(Supplier<CompletableFuture<T>> call) {
        CompletableFuture<Void> before = last;
        return before.isDone()
                ? call.get()
                : before.handle((done, failure) -> failure == null).thenCompose(done -> call.get());
    }

    /** Waits for the changes that were handed over. */
    @Override
    public void close() {
        executor.shutdown();
        last.handle((done, failure) -> failure == null).join();
    }

    /** Apart, because Reactor may be absent. */
    private static final class NonBlocking {
        static boolean isCurrentThread() {
            return reactor.core.scheduler.Schedulers.isInNonBlockingThread();
        }
    }
}
