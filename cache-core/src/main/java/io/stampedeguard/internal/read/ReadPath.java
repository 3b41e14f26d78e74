package io.stampedeguard.internal.read;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.internal.flight.Seat;
import io.stampedeguard.internal.lease.LoadResult;
import io.stampedeguard.internal.load.ProtectedLoad;
import io.stampedeguard.internal.load.StaleFallback;
import io.stampedeguard.internal.near.Copy;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.peer.CallerFlights;
import io.stampedeguard.internal.refresh.BackgroundRefresh;
import io.stampedeguard.internal.storage.Copies;
import io.stampedeguard.internal.storage.KeyNames;
import io.stampedeguard.internal.storage.Look;
import io.stampedeguard.internal.storage.StoreReads;
import io.stampedeguard.internal.storage.Stored;
import io.stampedeguard.internal.thread.Deadline;
import io.stampedeguard.loader.CacheException;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
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
public final class ReadPath<K, V> {
    private final KeyNames<K> names;
    private final Copies<V> copies;
    private final NearReads<K, V> nearReads;
    private final StoreReads<K, V> reads;
    private final BackgroundRefresh<K, V> refresh;
    private final StaleFallback<K, V> staleFallback;
    private final CallerFlights<K, V> flights;
    private final ProtectedLoad<K, V> protectedLoad;
    private final Duration waitTimeout;
    private final TimeSource time;
    private final CacheEvents events;

    public ReadPath(
            CacheContext context,
            KeyNames<K> names,
            Copies<V> copies,
            NearReads<K, V> nearReads,
            StoreReads<K, V> reads,
            BackgroundRefresh<K, V> refresh,
            StaleFallback<K, V> staleFallback,
            CallerFlights<K, V> flights,
            ProtectedLoad<K, V> protectedLoad) {
        this.names = names;
        this.copies = copies;
        this.nearReads = nearReads;
        this.reads = reads;
        this.refresh = refresh;
        this.staleFallback = staleFallback;
        this.flights = flights;
        this.protectedLoad = protectedLoad;
        this.waitTimeout = context.policy().waitTimeout();
        this.time = context.time();
        this.events = context.events();
    }

    public @Nullable V get(K key, Loader<? super K, ? extends V> loader) {
        Copy<V> copy = nearReads.hit(key, loader);
        return copy != null ? copies.of(copy.value()) : getCounted(key, loader);
    }

    private @Nullable V getCounted(K key, Loader<? super K, ? extends V> loader) {
        try {
            return getThroughStore(key, names.of(key), loader);
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
                return answered(staleFallback.insteadOf(e, key), storeKey);
            }
            Stored<V> stored = look.stored();
            if (stored != null) {
                if (stored.isDue()) {
                    refresh.offer(look, loader);
                }
                events.answer(stored.source(), stored.ageMillis());
                return copies.of(stored.value());
            }
            deadline = deadline == null ? Deadline.after(began, waitTimeout, time) : deadline;
            LoadResult<V> outcome = look.isAside() ? flyAside(look, loader, deadline) : fly(look, loader, deadline);
            if (outcome != null) {
                return answered(outcome, storeKey);
            }
        }
    }

    private @Nullable V answered(LoadResult<V> outcome, String storeKey) {
        V value = outcome.get(storeKey);
        events.answer(outcome.source());
        return copies.of(value);
    }

    /** Leads the flight of the key, or waits for it; {@code null} if this caller must begin again. */
    private @Nullable LoadResult<V> fly(Look<K, V> look, Loader<? super K, ? extends V> loader, Deadline deadline) {
        flights.check(look.storeKey());
        Seat<LoadResult<V>> seat = flights.join(look.storeKey());
        return seat.leads()
                ? protectedLoad.lead(look, loader, seat.flight(), deadline)
                : flights.follow(look, seat, deadline);
    }

    private @Nullable LoadResult<V> flyAside(
            Look<K, V> look, Loader<? super K, ? extends V> loader, Deadline deadline) {
        LoadResult<V> recent = staleFallback.recent(look.key());
        if (recent != null) {
            return recent;
        }
        try {
            return staleFallback.insteadOf(fly(look, loader, deadline), look.key());
        } catch (OriginBusyException | WaitTimeoutException e) {
            return staleFallback.insteadOf(e, look.key());
        }
    }
}
