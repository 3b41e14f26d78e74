package io.stampedeguard;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.flight.Seat;
import io.stampedeguard.flight.SingleFlight;
import io.stampedeguard.loader.AsyncLoader;
import io.stampedeguard.loader.BulkLoader;
import io.stampedeguard.loader.CacheException;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.near.Copy;
import io.stampedeguard.report.KeyReport;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The way of one {@code get}:
 *
 * <ol>
 *   <li>look into the near cache, if there is one;
 *   <li>read the store: one plain read, no more on a hit;
 *   <li><em>fresh</em>: return it; <em>stale</em>: return it at once; in either case have it reloaded in the background if
 *       that is due;
 *   <li>else join the flight of the key: its leader takes the {@link ProtectedLoad}, the others wait for the leader;
 *   <li>what the flight brought may be older than this call: then begin again.
 * </ol>
 *
 * <p>While the store does not answer, a copy that the near cache took a moment ago comes before the loader, and an older
 * one before an exception. <em>Thread-safe.</em>
 */
final class ReadPath<K, V> implements AutoCloseable {
    private final KeyNames<K> keys;
    private final Copies<V> copies;
    private final NearSide<K, V> near;
    private final NearReads<K, V> nearReads;
    private final StoreReads<K, V> reads;
    private final Nesting nesting;
    private final Following<K, V> following;
    private final SingleFlight<Outcome<V>> flights;
    private final StandIns<K, V> standIns;
    private final AsyncReads<K, V> asyncReads;
    private final ProtectedLoad<K, V> protectedLoad;
    private final RefreshQueue refreshQueue;
    private final BackgroundRefresh<K, V> refresh;
    private final BulkRead<K, V> bulkRead;
    private final Explanation<K, V> explanation;
    private final Gauges gauges;
    private final Duration waitTimeout;
    private final TimeSource time;
    private final CacheEvents events;

    ReadPath(CacheParts<K, V> parts) {
        this.keys = parts.keys();
        this.copies = parts.copies();
        this.near = parts.near();
        this.nesting = parts.nesting();
        ReadParts<K, V> shared = ReadParts.of(parts);
        this.nearReads = shared.nearReads();
        this.flights = shared.flights();
        this.reads = shared.reads();
        this.standIns = shared.standIns();
        this.following = shared.following();
        this.protectedLoad = shared.protectedLoad();
        this.refresh = shared.refresh();
        this.refreshQueue = shared.refreshQueue();
        this.bulkRead = new BulkRead<>(parts, shared);
        this.asyncReads = new AsyncReads<>(parts, shared);
        this.explanation = new Explanation<>(parts, flights);
        this.gauges = new Gauges(
                shared.load().gate(),
                parts.policy().maxConcurrentLoads(),
                shared.load().calls()::stuck,
                parts.events(),
                near.cache(),
                parts.admission());
        this.waitTimeout = parts.policy().waitTimeout();
        this.time = parts.time();
        this.events = parts.events();
    }

    @Nullable
    V get(K key, Loader<? super K, ? extends V> loader) {
        Copy<V> copy = nearReads.hit(key, loader);
        return copy != null ? copies.of(copy.value()) : getCounted(key, loader);
    }

    CompletableFuture<@Nullable V> getAsync(K key, AsyncLoader<? super K, ? extends V> loader) {
        return asyncReads.get(key, loader);
    }

    Map<K, V> getAll(Collection<? extends K> keys, BulkLoader<K, V> loader) {
        return bulkRead.getAll(keys, loader);
    }

    private @Nullable V getCounted(K key, Loader<? super K, ? extends V> loader) {
        try {
            return getThroughStore(key, keys.of(key), loader);
        } catch (CacheException | Error e) { // a loader's Error is the caller's as it is
            events.answer(AnswerSource.FAILED);
            throw e;
        }
    }

    private @Nullable V getThroughStore(K key, String storeKey, Loader<? super K, ? extends V> loader) {
        long began = time.monotonicNanos();
        Deadline deadline = null;
        while (true) {
            Duration patience = deadline == null ? waitTimeout : deadline.remaining();
            Look<K, V> look;
            try {
                look = reads.look(key, storeKey, patience);
            } catch (WaitTimeoutException e) {
                return answered(standIns.insteadOf(e, key), storeKey);
            }
            Stored<V> stored = look.stored();
            if (stored != null) {
                if (stored.isDue()) {
                    refresh.offer(look, loader);
                }
                events.answer(stored);
                return copies.of(stored.value());
            }
            deadline = deadline == null ? Deadline.after(began, waitTimeout, time) : deadline;
            Outcome<V> outcome = look.isAside() ? flyAside(look, loader, deadline) : fly(look, loader, deadline);
            if (outcome != null) {
                return answered(outcome, storeKey);
            }
        }
    }

    private @Nullable V answered(Outcome<V> outcome, String storeKey) {
        V value = outcome.get(storeKey);
        events.answer(outcome.source());
        return copies.of(value);
    }

    /** Leads the flight of the key, or waits for it; {@code null} if this caller must begin again. */
    private @Nullable Outcome<V> fly(Look<K, V> look, Loader<? super K, ? extends V> loader, Deadline deadline) {
        nesting.check(look.storeKey());
        Seat<Outcome<V>> seat = flights.join(look.storeKey());
        return seat.leads()
                ? protectedLoad.lead(look, loader, seat.flight(), deadline)
                : following.follow(look, seat, deadline);
    }

    private @Nullable Outcome<V> flyAside(Look<K, V> look, Loader<? super K, ? extends V> loader, Deadline deadline) {
        Outcome<V> recent = standIns.recent(look.key());
        if (recent != null) {
            return recent;
        }
        try {
            return standIns.insteadOf(fly(look, loader, deadline), look.key());
        } catch (OriginBusyException | WaitTimeoutException e) {
            return standIns.insteadOf(e, look.key());
        }
    }

    /** Lets nobody who comes later be answered by what was read or loaded before, nor rest for a cool-down that was ended. */
    void outdate(String storeKey) {
        near.outdate(storeKey);
        flights.forget(storeKey);
        refreshQueue.wake(storeKey);
    }

    /** Returns what is known of a key now. */
    KeyReport explain(K key) {
        return explanation.of(key);
    }

    Gauges gauges() {
        return gauges;
    }

    int reloading() {
        return refreshQueue.reloading();
    }

    @Override
    public void close() {
        refreshQueue.close();
        asyncReads.close();
        near.close();
    }
}
