package io.stampedeguard;

import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.RefreshOutcome;
import io.stampedeguard.flight.Seat;
import io.stampedeguard.flight.SingleFlight;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;

/**
 * Reloads entries in the background, those that are stale (stale-while-revalidate, RFC 5861) and those that soon will be ({@link
 * EarlyRefresh}), each key at most once at a time in this process, and not again before it has a point: while somebody else loads it, or while it cools down, it rests. Threads and
 * queue are bounded; what finds no room is dropped and counted, and the next stale read asks again. At most half of the
 * load permits can be taken by these threads, so that callers who wait are not starved; threads that are stuck in a loader
 * are replaced, as long as {@link StuckLoads} gives their permits away. <em>Thread-safe.</em>
 */
final class BackgroundRefresh<K, V> implements AutoCloseable {
    private final Set<String> queued = ConcurrentHashMap.newKeySet();
    private final Map<String, Rest> resting = new ConcurrentHashMap<>();
    private final SingleFlight<Outcome<V>> flights;
    private final ProtectedLoad<K, V> protectedLoad;
    private final int maxConcurrentLoads;
    private final TimeSource time;
    private final CacheEvents events;
    private final RefreshThreads threads;
    private final Duration restWithoutStore;
    private final StoreReads<K, V> reads;

    /** Not a record: each is itself only. */
    private static final class Rest {}

    BackgroundRefresh(
            CacheParts<K, V> parts,
            SingleFlight<Outcome<V>> flights,
            StoreReads<K, V> reads,
            ProtectedLoad<K, V> protectedLoad) {
        this.reads = reads;
        this.restWithoutStore = parts.policy().pollLongest();
        this.flights = flights;
        this.protectedLoad = protectedLoad;
        this.maxConcurrentLoads = parts.policy().maxConcurrentLoads();
        this.time = parts.time();
        this.events = parts.events();
        this.threads = new RefreshThreads(parts.keys().cache(), threads(0));
    }

    /** Queues the reload of an entry, unless it is queued already, or rests. Does not block. */
    void offer(Look<K, V> look, Loader<? super K, ? extends V> loader) {
        Stored<V> stored = look.stored();
        boolean stale = stored == null || stored.isStale();
        queue(look.storeKey(), stale ? RefreshOutcome.QUEUED : RefreshOutcome.EARLY, () -> reload(look, loader));
    }

    /**
     * Queues a look into the store, for a copy of the near cache that is to be reloaded, and then the reload, if nobody else
     * has brought that about. As {@link #offer} else.
     */
    void offerLook(K key, String storeKey, Loader<? super K, ? extends V> loader) {
        queue(storeKey, RefreshOutcome.EARLY, () -> {
            Look<K, V> look = reads.look(key, storeKey);
            Stored<V> stored = look.stored();
            if (!look.storeAnswers()) {
                return restWithoutStore;
            }
            return stored != null && !stored.isDue() ? Duration.ZERO : reload(look, loader);
        });
    }

    private interface Work {
        /** Does it, and tells for how long there is no point in doing it again. */
        Duration run() throws InterruptedException;
    }

    private void queue(String storeKey, RefreshOutcome how, Work work) {
        if (resting.containsKey(storeKey) || !queued.add(storeKey)) {
            return;
        }
        try {
            threads.resize(threads(protectedLoad.stuck()));
            threads.execute(() -> run(storeKey, work));
            events.refresh(how);
        } catch (RejectedExecutionException | OutOfMemoryError e) { // the latter where no thread can be started
            queued.remove(storeKey);
            events.refresh(RefreshOutcome.DROPPED);
        }
    }

    /** Lets a key rest no longer: what it rested for is over. */
    void wake(String storeKey) {
        resting.remove(storeKey);
    }

    /** Tells how many reloads are queued or run. */
    int reloading() {
        return queued.size();
    }

    /** Ends the threads; loaders that run on them are interrupted, their leases given back. Does not wait for them. */
    @Override
    public void close() {
        threads.close();
    }

    private int threads(int stuck) {
        return Math.max(1, maxConcurrentLoads / 2) + Math.min(stuck, maxConcurrentLoads);
    }

    @SuppressWarnings("CatchingUnchecked") // no caller hears of it: the listener and the log do
    private void run(String storeKey, Work work) {
        Duration rest = Duration.ZERO;
        try {
            rest = work.run();
        } catch (InterruptedException | WaitInterruptedException e) {
            Thread.currentThread().interrupt(); // the cache was closed
        } catch (Throwable e) {
            events.fault(FaultSource.LOADER, e);
        } finally {
            restFor(rest, storeKey);
            queued.remove(storeKey);
        }
    }

    private Duration reload(Look<K, V> look, Loader<? super K, ? extends V> loader) throws InterruptedException {
        Seat<Outcome<V>> seat = flights.join(look.storeKey());
        return seat.leads() ? protectedLoad.refresh(look, loader, seat.flight()) : Duration.ZERO;
    }

    private void restFor(Duration length, String storeKey) {
        if (!length.isZero()) {
            Rest rest = new Rest();
            resting.put(storeKey, rest);
            time.schedule(length.toNanos(), () -> resting.remove(storeKey, rest));
        }
    }
}
