package io.stampedeguard.internal.load;

import io.stampedeguard.event.EventType;
import io.stampedeguard.event.OriginState;
import io.stampedeguard.internal.call.LoadFunction;
import io.stampedeguard.internal.call.OriginGuard;
import io.stampedeguard.internal.flight.Flight.Membership;
import io.stampedeguard.internal.flight.SingleFlight;
import io.stampedeguard.internal.lease.KeyRequest;
import io.stampedeguard.internal.lease.LoadResult;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.storage.KeyAdmission.NamedKey;
import io.stampedeguard.internal.storage.StoreReads;
import io.stampedeguard.internal.storage.StoreReads.Lookup;
import io.stampedeguard.internal.storage.StoreReads.Stored;
import io.stampedeguard.loader.Loader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reloads entries in the background, those that are stale (stale-while-revalidate, RFC 5861) and those that soon will be ({@link
 * io.stampedeguard.internal.entry.Entry}), as {@link RefreshQueue} lets it. A single key is a set of one:
 * <ol>
 *   <li>what is queued already, or rests, is left out;
 *   <li>copies of the near cache are looked up in the store: another process may have reloaded them;
 *   <li>keys that are not being loaded in this process are loaded under one permit, if one is free ({@link BackgroundLoad}).
 * </ol>
 *
 * <p><em>Thread-safe.</em>
 */
public final class BackgroundRefresh<K, V> {
    private final RefreshQueue queue;
    private final OriginGuard guard;
    private final SingleFlight<LoadResult<V>> flights;
    private final StoreReads<K, V> reads;
    private final BackgroundLoad<K, V> load;
    private final BackgroundLoad.Rests resting;

    public BackgroundRefresh(
            CacheContext context,
            RefreshQueue queue,
            OriginGuard guard,
            SingleFlight<LoadResult<V>> flights,
            StoreReads<K, V> reads,
            BackgroundLoad<K, V> load) {
        this.queue = queue;
        this.guard = guard;
        this.flights = flights;
        this.reads = reads;
        this.load = load;
        this.resting = BackgroundLoad.Rests.of(context.policy());
    }

    /**
     * Queues the loads of keys of which there are copies, and for which the store does not answer, or has lost their entries, like
     * {@link #offerDue}.
     */
    public void offerMissing(List<Lookup<K, V>> missing, LoadFunction<K, V> loader) {
        offerAll(missing, List.of(), loader);
    }

    /** Returns whether a due entry may be reloaded now, or is left alone because the origin is spared. */
    public boolean isWanted(boolean stale, boolean pastHalfOfItsStaleness) {
        return switch (guard.state()) {
            case NORMAL -> true;
            case NO_EARLY_REFRESH -> stale;
            case EXTENDED_STALE -> stale && pastHalfOfItsStaleness;
            case DEFERRED -> false;
        };
    }

    /**
     * Queues a read for a due copy, and the reload if no other process has done it, unless it is queued already, or rests, or the
     * origin is spared. Does not block; if nothing is queued, allocates nothing: this is on the path of a near hit.
     */
    public void offerCopy(K key, String storeKey, Loader<? super K, ? extends V> loader) {
        if (guard.state() == OriginState.NORMAL && queue.claim(storeKey)) {
            queue.add(
                    Map.of(storeKey, EventType.REFRESH_EARLY),
                    LoadFunction.<K, V>ofEach(loader),
                    carried -> reload(List.of(), List.of(new NamedKey<>(key, storeKey)), carried));
        }
    }

    /** Queues the reloads of due entries: those among the lookups, and the due copies of the near cache. Does not block. */
    public void offerDue(List<Lookup<K, V>> lookups, List<NamedKey<K>> copies, LoadFunction<K, V> loader) {
        if (!lookups.isEmpty() || !copies.isEmpty()) {
            offerAll(dueAmong(lookups), guard.state() == OriginState.NORMAL ? copies : List.of(), loader);
        }
    }

    private void offerAll(List<Lookup<K, V>> due, List<NamedKey<K>> copies, LoadFunction<K, V> loader) {
        if (due.isEmpty() && copies.isEmpty()) {
            return;
        }
        if (loader.takesMany()) {
            offerTogether(due, copies, loader);
        } else {
            due.forEach(lookup -> offerTogether(List.of(lookup), List.of(), loader));
            copies.forEach(copy -> offerTogether(List.of(), List.of(copy), loader));
        }
    }

    private void offerTogether(Collection<Lookup<K, V>> due, List<NamedKey<K>> copies, LoadFunction<K, V> loader) {
        Map<String, EventType> claimed = new LinkedHashMap<>();
        List<Lookup<K, V>> lookups = new ArrayList<>();
        List<NamedKey<K>> unread = new ArrayList<>();
        for (Lookup<K, V> lookup : due) {
            if (queue.claim(lookup.storeKey())) {
                claimed.put(lookup.storeKey(), outcomeOf(lookup));
                lookups.add(lookup);
            }
        }
        for (NamedKey<K> copy : copies) {
            if (queue.claim(copy.storeKey())) {
                claimed.put(copy.storeKey(), EventType.REFRESH_EARLY);
                unread.add(copy);
            }
        }
        if (!claimed.isEmpty()) {
            queue.add(claimed, loader, carried -> reload(lookups, unread, carried));
        }
    }

    /** Returns the lookups whose keys are to be reloaded, in their order; none if none is due. */
    private List<Lookup<K, V>> dueAmong(List<Lookup<K, V>> lookups) {
        List<Lookup<K, V>> due = new ArrayList<>();
        for (Lookup<K, V> lookup : lookups) {
            Stored<V> stored = lookup.stored();
            if (stored != null && stored.isDue() && isWanted(stored.isStale(), stored.isPastHalfOfItsStaleness())) {
                due.add(lookup);
            }
        }
        return due;
    }

    private static EventType outcomeOf(Lookup<?, ?> lookup) {
        return lookup.isFresh() ? EventType.REFRESH_EARLY : EventType.REFRESH_QUEUED;
    }

    /** Reloads what is due; returns for how long there is no point in trying each key again. */
    private Map<String, Duration> reload(
            List<Lookup<K, V>> lookups, List<NamedKey<K>> unread, LoadFunction<K, V> loader)
            throws InterruptedException {
        Map<String, Duration> rests = new HashMap<>();
        List<Lookup<K, V>> due = new ArrayList<>(lookups);
        if (!unread.isEmpty()) {
            List<Lookup<K, V>> read = reads.lookUpAll(unread, resting.brief());
            for (Lookup<K, V> lookup : read) {
                if (lookup.storeAnswers() && lookup.stored() == null) {
                    due.add(lookup);
                }
                rests.put(lookup.storeKey(), lookup.storeAnswers() ? resting.brief() : resting.withoutStore());
            }
            due.addAll(dueAmong(read));
        }
        return flights.joinAll(due, Lookup::storeKey, memberships -> lead(due, memberships, loader, rests));
    }

    /** Leads the flights that have no other leader. */
    private Map<String, Duration> lead(
            List<Lookup<K, V>> due,
            List<Membership<LoadResult<V>>> memberships,
            LoadFunction<K, V> loader,
            Map<String, Duration> rests)
            throws InterruptedException {
        List<KeyRequest<K, V>> led = new ArrayList<>();
        for (int i = 0; i < memberships.size(); i++) {
            Lookup<K, V> lookup = due.get(i);
            if (memberships.get(i).leads()) {
                led.add(new KeyRequest<K, V>(lookup, false).leadInBackground(memberships.get(i)));
            } else {
                rests.put(lookup.storeKey(), resting.brief());
            }
        }
        if (!led.isEmpty()) {
            load.lead(led, loader, rests);
        }
        return rests;
    }
}
