package io.stampedeguard;

import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.RefreshOutcome;
import io.stampedeguard.flight.Seat;
import io.stampedeguard.flight.SingleFlight;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Reloads stale entries in the background (stale-while-revalidate, RFC 5861), each key at most once at a time in this
 * process, and not again before it has a point: while somebody else loads it, or while it cools down, it rests. Threads and
 * queue are bounded; what finds no room is dropped and counted, and the next stale read asks again. At most half of the
 * load permits can be taken by these threads, so that callers who wait are not starved; threads that are stuck in a loader
 * are replaced, as long as {@link StuckLoads} gives their permits away. <em>Thread-safe.</em>
 */
final class BackgroundRefresh<K, V> implements AutoCloseable {
    private static final int LONGEST_QUEUE = 1_024;
    private static final long IDLE_SECONDS = 10;

    private final Set<String> queued = ConcurrentHashMap.newKeySet();
    private final SingleFlight<Outcome<V>> flights;
    private final ProtectedLoad<K, V> protectedLoad;
    private final int maxConcurrentLoads;
    private final TimeSource time;
    private final CacheEvents events;
    private final ThreadPoolExecutor executor;

    BackgroundRefresh(CacheParts<K, V> parts, SingleFlight<Outcome<V>> flights, ProtectedLoad<K, V> protectedLoad) {
        this.flights = flights;
        this.protectedLoad = protectedLoad;
        this.maxConcurrentLoads = parts.policy().maxConcurrentLoads();
        this.time = parts.time();
        this.events = parts.events();
        this.executor = new ThreadPoolExecutor(
                threads(0),
                threads(0),
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(LONGEST_QUEUE),
                new DaemonThreads("stampede-" + parts.keys().cache() + "-refresh-"));
        executor.allowCoreThreadTimeOut(true);
    }

    /** Queues the reload of a stale entry, unless it is queued already, or rests. Does not block. */
    void offer(Miss<K, V> miss) {
        if (!queued.add(miss.storeKey())) {
            return;
        }
        try {
            replaceStuckThreads();
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

    private int threads(int stuck) {
        return Math.max(1, maxConcurrentLoads / 2) + Math.min(stuck, maxConcurrentLoads);
    }

    private void replaceStuckThreads() {
        int wanted = threads(protectedLoad.stuck());
        if (wanted > executor.getCorePoolSize()) {
            executor.setMaximumPoolSize(wanted);
            executor.setCorePoolSize(wanted);
        } else if (wanted < executor.getCorePoolSize()) {
            executor.setCorePoolSize(wanted);
            executor.setMaximumPoolSize(wanted);
        }
    }

    @SuppressWarnings("CatchingUnchecked") // no caller hears of it: the listener and the log do
    private void refresh(Miss<K, V> miss) {
        Duration rest = Duration.ZERO;
        try {
            Seat<Outcome<V>> seat = flights.join(miss.storeKey());
            if (seat.leads()) {
                rest = protectedLoad.refresh(miss, seat.flight());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the cache was closed
        } catch (Throwable e) {
            events.fault(FaultSource.LOADER, e);
        } finally {
            restFor(rest, miss.storeKey());
        }
    }

    private void restFor(Duration rest, String storeKey) {
        if (rest.isZero()) {
            queued.remove(storeKey);
        } else {
            time.schedule(rest.toNanos(), () -> queued.remove(storeKey));
        }
    }
}
