package io.stampedeguard.internal.load;

import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.call.CallerContext;
import io.stampedeguard.internal.call.LoadFunction;
import io.stampedeguard.internal.call.LoadPermits;
import io.stampedeguard.internal.failure.Thrown;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.thread.DaemonThreads;
import io.stampedeguard.loader.WaitInterruptedException;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The queue of background reloads: each key at most once at a time in this process. A key rests while another process loads it,
 * or while it cools down. Threads and queue are bounded; a reload that finds no room is dropped and counted, and the next stale
 * read offers it again. These threads take at most half of the load permits, so that waiting callers are not starved. Threads
 * that are stuck in a loader are replaced, as long as {@link LoadPermits} releases their permits. <em>Thread-safe.</em>
 */
public final class RefreshQueue implements AutoCloseable {
    private final Set<String> queued = ConcurrentHashMap.newKeySet();
    private final Map<String, Rest> resting = new ConcurrentHashMap<>();
    private final LoadPermits permits;
    private final @Nullable CallerContext callers;
    private final TimeSource time;
    private final CacheEvents events;
    private final Threads threads;

    /** Not a record: each is itself only. */
    private static final class Rest {}

    public RefreshQueue(CacheContext context, LoadPermits permits, @Nullable CallerContext callers) {
        this.permits = permits;
        this.callers = callers;
        this.time = context.time();
        this.events = context.events();
        this.threads = new Threads(context.name(), threads(0), context.time());
    }

    interface Work<K, V> {
        /** Runs the reload by a loader; returns the keys that rest, and for how long. */
        Map<String, Duration> run(LoadFunction<K, V> loader) throws InterruptedException;
    }

    /** Claims a key, to be handed to {@link #add}; false if it is queued already, or rests. */
    boolean claim(String storeKey) {
        if (resting.containsKey(storeKey) || !queued.add(storeKey)) {
            return false;
        }
        if (resting.containsKey(storeKey)) { // a reload has ended in between, and the key rests
            queued.remove(storeKey);
            return false;
        }
        return true;
    }

    /** Queues work, for a loader in the context of this thread, unless it has another one. Does not block. */
    <K, V> void add(Map<String, EventType> claimed, LoadFunction<K, V> loader, Work<K, V> work) {
        try {
            LoadFunction<K, V> carried = callers == null ? loader : callers.carried(loader);
            threads.resize(threads(permits.stuck()));
            threads.execute(() -> run(claimed, carried, work));
        } catch (RejectedExecutionException | OutOfMemoryError e) { // the latter where no thread can be started
            drop(claimed);
            return;
        } catch (Throwable e) { // of a user's time source
            drop(claimed);
            Thrown.rethrowFatal(e);
            events.fault(FaultSource.LOADER, e);
            return;
        }
        claimed.values().forEach(events::report);
    }

    private void drop(Map<String, EventType> claimed) {
        claimed.keySet().forEach(queued::remove);
        claimed.keySet().forEach(dropped -> events.report(EventType.REFRESH_DROPPED));
    }

    /** Lets a key rest no longer: what it rested for is over. */
    public void wake(String storeKey) {
        resting.remove(storeKey);
    }

    /** Lets no key rest any longer. */
    public void wakeAll() {
        resting.clear();
    }

    /** Returns the number of keys whose reloads are queued or run. */
    public int reloading() {
        return queued.size();
    }

    /** Ends the threads; loaders that run on them are interrupted, their leases given back. Does not wait for them. */
    @Override
    public void close() {
        threads.close();
    }

    private int threads(int stuck) {
        int limit = permits.limit();
        return Math.max(1, limit / 2) + Math.min(stuck, limit);
    }

    @SuppressWarnings("CatchingUnchecked") // no caller waits for it: the listener and the log report it
    private <K, V> void run(Map<String, EventType> claimed, LoadFunction<K, V> loader, Work<K, V> work) {
        try {
            work.run(loader).forEach(this::restFor);
        } catch (InterruptedException | WaitInterruptedException e) {
            Thread.currentThread().interrupt(); // the cache was closed
        } catch (Throwable e) {
            events.fault(FaultSource.LOADER, e);
        } finally {
            claimed.keySet().forEach(queued::remove);
        }
    }

    private void restFor(String storeKey, Duration length) {
        if (!length.isZero()) {
            Rest rest = new Rest();
            resting.put(storeKey, rest); // first: the timer may be due at once
            try {
                time.schedule(length.toNanos(), () -> resting.remove(storeKey, rest));
            } catch (RuntimeException | Error e) { // no thread for the timer, for instance: nothing would end the rest
                resting.remove(storeKey, rest);
                throw e;
            }
        }
    }

    /**
     * The threads of background reloads, and their queue, both bounded. <em>Thread-safe</em>; the lock guards the change of both
     * bounds of the pool, of which the lower must never exceed the upper.
     */
    static final class Threads implements Executor, AutoCloseable {
        private static final int LONGEST_QUEUE = 1_024;

        private final ReentrantLock resizing = new ReentrantLock();
        private final ThreadPoolExecutor pool;
        private final TimeSource time;

        Threads(String cache, int number, TimeSource time) {
            this.time = time;
            DaemonThreads threads = new DaemonThreads("stampede-" + cache + "-refresh-");
            pool = DaemonThreads.pool(number, new ArrayBlockingQueue<>(LONGEST_QUEUE), threads);
        }

        @Override
        public void execute(Runnable task) {
            time.execute(pool, task);
        }

        /** Sets the number of threads, unless another thread is setting it. */
        void resize(int wanted) {
            if (wanted == pool.getCorePoolSize() || !resizing.tryLock()) {
                return;
            }
            try {
                if (wanted > pool.getCorePoolSize()) {
                    pool.setMaximumPoolSize(wanted);
                    pool.setCorePoolSize(wanted);
                } else {
                    pool.setCorePoolSize(wanted);
                    pool.setMaximumPoolSize(wanted);
                }
            } finally {
                resizing.unlock();
            }
        }

        int number() {
            return pool.getMaximumPoolSize();
        }

        @Override
        public void close() {
            pool.shutdownNow();
        }
    }
}
