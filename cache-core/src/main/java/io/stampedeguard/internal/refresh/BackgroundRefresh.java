package io.stampedeguard.internal.refresh;

import io.stampedeguard.event.RefreshOutcome;
import io.stampedeguard.internal.entry.EarlyRefresh;
import io.stampedeguard.internal.flight.Seat;
import io.stampedeguard.internal.flight.SingleFlight;
import io.stampedeguard.internal.lease.LoadResult;
import io.stampedeguard.internal.load.ProtectedLoad;
import io.stampedeguard.internal.load.Rests;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.storage.Look;
import io.stampedeguard.internal.storage.StoreReads;
import io.stampedeguard.internal.storage.Stored;
import io.stampedeguard.loader.Loader;
import java.time.Duration;
import java.util.Map;

/**
 * Reloads entries in the background, those that are stale (stale-while-revalidate, RFC 5861) and those that soon will be ({@link
 * EarlyRefresh}), as {@link RefreshQueue} lets it. <em>Thread-safe.</em>
 */
public final class BackgroundRefresh<K, V> {
    private final RefreshQueue queue;
    private final SingleFlight<LoadResult<V>> flights;
    private final StoreReads<K, V> reads;
    private final ProtectedLoad<K, V> protectedLoad;
    private final Rests rests;

    public BackgroundRefresh(
            CacheContext context,
            RefreshQueue queue,
            SingleFlight<LoadResult<V>> flights,
            StoreReads<K, V> reads,
            ProtectedLoad<K, V> protectedLoad) {
        this.queue = queue;
        this.flights = flights;
        this.reads = reads;
        this.protectedLoad = protectedLoad;
        this.rests = Rests.of(context.policy());
    }

    /** Queues the reload of an entry, unless it is queued already, or rests. Does not block. */
    public void offer(Look<K, V> look, Loader<? super K, ? extends V> loader) {
        if (queue.claim(look.storeKey())) {
            add(
                    look.storeKey(),
                    look.isFresh() ? RefreshOutcome.EARLY : RefreshOutcome.QUEUED,
                    () -> reload(look, loader));
        }
    }

    /**
     * Queues a look into the store, for a copy of the near cache that is to be reloaded, and then the reload, if nobody else
     * has brought that about. As {@link #offer} else.
     */
    public void offerLook(K key, String storeKey, Loader<? super K, ? extends V> loader) {
        if (queue.claim(storeKey)) {
            add(storeKey, RefreshOutcome.EARLY, () -> lookAndReload(key, storeKey, loader));
        }
    }

    private interface Work {
        /** Does it, and tells for how long there is no point in doing it again. */
        Duration run() throws InterruptedException;
    }

    private void add(String storeKey, RefreshOutcome how, Work work) {
        queue.add(Map.of(storeKey, how), () -> Map.of(storeKey, work.run()));
    }

    private Duration lookAndReload(K key, String storeKey, Loader<? super K, ? extends V> loader)
            throws InterruptedException {
        Look<K, V> look = reads.look(key, storeKey, rests.brief());
        Stored<V> stored = look.stored();
        if (!look.storeAnswers()) {
            return rests.withoutStore();
        }
        return stored != null && !stored.isDue() ? Duration.ZERO : reload(look, loader);
    }

    private Duration reload(Look<K, V> look, Loader<? super K, ? extends V> loader) throws InterruptedException {
        Seat<LoadResult<V>> seat = flights.join(look.storeKey());
        return seat.leads() ? protectedLoad.refresh(look, loader, seat.flight()) : rests.brief();
    }
}
