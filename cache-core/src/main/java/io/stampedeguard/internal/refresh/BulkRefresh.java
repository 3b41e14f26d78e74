package io.stampedeguard.internal.refresh;

import io.stampedeguard.event.RefreshOutcome;
import io.stampedeguard.internal.flight.Seat;
import io.stampedeguard.internal.flight.SingleFlight;
import io.stampedeguard.internal.lease.KeyLoad;
import io.stampedeguard.internal.lease.LoadResult;
import io.stampedeguard.internal.load.BulkReload;
import io.stampedeguard.internal.load.Rests;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.storage.Look;
import io.stampedeguard.internal.storage.NamedKey;
import io.stampedeguard.internal.storage.StoreReads;
import io.stampedeguard.loader.BulkLoader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reloads the stale and soon stale entries of a batch in the background, as {@link BackgroundRefresh} does with one:
 *
 * <ol>
 *   <li>what is queued already, or rests, is left out;
 *   <li>copies of the near cache are looked up in the store: somebody else may have reloaded them. What was loaded together
 *       is reloaded together ({@link DueKeys});
 *   <li>what nobody loads in this process is loaded under one permit, if one is free: by one call of the loader
 *       ({@link BulkReload}). Nobody waits.
 * </ol>
 *
 * <p><em>Thread-safe.</em>
 */
public final class BulkRefresh<K, V> {
    private final RefreshQueue queue;
    private final SingleFlight<LoadResult<V>> flights;
    private final StoreReads<K, V> reads;
    private final BulkReload<K, V> bulkReload;
    private final Rests resting;

    public BulkRefresh(
            CacheContext context,
            RefreshQueue queue,
            SingleFlight<LoadResult<V>> flights,
            StoreReads<K, V> reads,
            BulkReload<K, V> bulkReload) {
        this.queue = queue;
        this.flights = flights;
        this.reads = reads;
        this.bulkReload = bulkReload;
        this.resting = Rests.of(context.policy());
    }

    /**
     * Queues the reload of many entries. Does not block.
     *
     * @param due what the store has
     * @param copies what only the near cache was asked for
     */
    public void offer(Collection<Look<K, V>> due, List<NamedKey<K>> copies, BulkLoader<K, V> loader) {
        Map<String, RefreshOutcome> claimed = new LinkedHashMap<>();
        List<Look<K, V>> looks = new ArrayList<>();
        List<NamedKey<K>> unread = new ArrayList<>();
        for (Look<K, V> look : due) {
            if (queue.claim(look.storeKey())) {
                claimed.put(look.storeKey(), look.isFresh() ? RefreshOutcome.EARLY : RefreshOutcome.QUEUED);
                looks.add(look);
            }
        }
        for (NamedKey<K> copy : copies) {
            if (queue.claim(copy.storeKey())) {
                claimed.put(copy.storeKey(), RefreshOutcome.EARLY);
                unread.add(copy);
            }
        }
        if (!claimed.isEmpty()) {
            queue.add(claimed, () -> reload(looks, unread, loader));
        }
    }

    private Map<String, Duration> reload(List<Look<K, V>> looks, List<NamedKey<K>> unread, BulkLoader<K, V> loader)
            throws InterruptedException {
        Map<String, Duration> rests = new HashMap<>();
        List<Look<K, V>> all = new ArrayList<>(looks);
        if (!unread.isEmpty()) {
            List<Look<K, V>> read = reads.lookAll(unread, resting.brief());
            for (Look<K, V> look : read) {
                if (look.storeAnswers() && look.stored() == null) {
                    all.add(look);
                }
                rests.put(look.storeKey(), look.storeAnswers() ? resting.brief() : resting.withoutStore());
            }
            all.addAll(DueKeys.among(read));
        }
        List<Seat<LoadResult<V>>> seats = new ArrayList<>(all.size()); // with room: a flight joined must not be lost
        List<KeyLoad<K, V>> led = new ArrayList<>();
        try {
            for (Look<K, V> look : all) {
                seats.add(flights.join(look.storeKey()));
                Seat<LoadResult<V>> seat = seats.get(seats.size() - 1);
                if (seat.leads()) {
                    led.add(KeyLoad.inBackground(look, seat.flight()));
                } else {
                    rests.put(look.storeKey(), resting.brief());
                }
            }
            if (!led.isEmpty()) {
                rests.putAll(bulkReload.lead(led, loader));
            }
        } finally {
            Seat.landEmpty(seats);
        }
        return rests;
    }
}
