package io.stampedeguard;

import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.RefreshOutcome;
import io.stampedeguard.flight.Seat;
import io.stampedeguard.flight.SingleFlight;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Reloads stale entries in the background (stale-while-revalidate, RFC 5861), each key at most once at a time in this
 * process. Threads and queue are bounded; what finds no room is dropped and counted, and the next stale read asks again.
 * At most half of the load permits can be taken by these threads, so that callers who wait are not starved.
 * <em>Thread-safe.</em>
 */
final class BackgroundRefresh<K, V> implements AutoCloseable {
    private static final int LONGEST_QUEUE = 1_024;
    private static final long IDLE_SECONDS = 10;

    private final Set<String> queued = ConcurrentHashMap.newKeySet();
    private final SingleFlight<Outcome<V>> flights;
    private final ProtectedLoad<K, V> protectedLoad;
    private final CacheEvents events;
    private final ExecutorService executor;

    BackgroundRefresh(CacheParts<K, V> parts, SingleFlight<Outcome<V>> flights, ProtectedLoad<K, V> protectedLoad) {
        this.flights = flights;
        this.protectedLoad = protectedLoad;
        this.events = parts.events();
        int threads = Math.max(1, parts.policy().maxConcurrentLoads() / 2);
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads,
                threads,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(LONGEST_QUEUE),
                threadsNamed("stampede-" + parts.keys().cache() + "-refresh-"));
        pool.allowCoreThreadTimeOut(true);
        this.executor = pool;
    }

    /** Queues the reload of a stale entry, unless it is queued already. Does not block. */
    void offer(Miss<K, V> miss) {
        if (!queued.add(miss.storeKey())) {
            return;
        }
        try {
            executor.execute(() -> refresh(miss));
            events.refresh(RefreshOutcome.QUEUED);
        } catch (RejectedExecutionException | OutOfMemoryError e) { // the latter where no thread can be started
            queued.remove(miss.storeKey());
            events.refresh(RefreshOutcome.DROPPED);
        }
    }

    /** Ends the threads; loaders that run on them are interrupted, their leases given back. Does not wait for them. */
    @Override
    public void close() {
        executor.shutdownNow();
    }

    @SuppressWarnings("CatchingUnchecked") // no caller hears of it: the listener and the log do
    private void refresh(Miss<K, V> miss) {
        try {
            Seat<Outcome<V>> seat = flights.join(miss.storeKey());
            if (seat.leads()) {
                protectedLoad.refresh(miss, seat.flight());
            }
        } catch (Throwable e) {
            events.fault(FaultSource.LOADER, e);
        } finally {
            queued.remove(miss.storeKey());
        }
    }

    private static ThreadFactory threadsNamed(String prefix) {
        AtomicInteger count = new AtomicInteger();
        ClassLoader classes = Thread.currentThread().getContextClassLoader();
        return task -> {
            // Nothing of the caller that happens to need a first thread sticks to it.
            Thread thread = new Thread(null, task, prefix + count.incrementAndGet(), 0, false);
            thread.setDaemon(true);
            thread.setContextClassLoader(classes);
            return thread;
        };
    }
}
