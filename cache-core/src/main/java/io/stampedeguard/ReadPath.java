package io.stampedeguard;

import io.stampedeguard.codec.KeyText;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.ReadOutcome;
import io.stampedeguard.event.WaitOutcome;
import io.stampedeguard.flight.Seat;
import io.stampedeguard.flight.SingleFlight;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.store.StoreException;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The way of one {@code get}:
 *
 * <ol>
 *   <li>read the store: one plain read, no more on a hit;
 *   <li><em>fresh</em>: return it; <em>stale</em>: return it at once, and have it reloaded in the background;
 *   <li>else join the flight of the key: its leader takes the {@link ProtectedLoad}, the others wait for the leader;
 *   <li>what the flight brought may be older than this call: then begin again.
 * </ol>
 *
 * <p><em>Thread-safe.</em>
 */
final class ReadPath<K, V> implements AutoCloseable {
    private final KeyNames<K> keys;
    private final SharedStore store;
    private final EntryReader<V> reader;
    private final SingleFlight<Outcome<V>> flights = new SingleFlight<>();
    private final ProtectedLoad<K, V> protectedLoad;
    private final BackgroundRefresh<K, V> refresh;
    private final Duration waitTimeout;
    private final TimeSource time;
    private final CacheEvents events;

    ReadPath(CacheParts<K, V> parts) {
        this.keys = parts.keys();
        this.store = parts.store();
        this.reader = parts.reader();
        this.protectedLoad = new ProtectedLoad<>(parts);
        this.refresh = new BackgroundRefresh<>(parts, flights, protectedLoad);
        this.waitTimeout = parts.policy().waitTimeout();
        this.time = parts.time();
        this.events = parts.events();
    }

    @Nullable
    V get(K key, Loader<? super K, ? extends V> loader) {
        String storeKey = keys.of(key);
        Deadline deadline = null;
        while (true) {
            byte[] bytes = null;
            boolean storeAnswers = true;
            try {
                bytes = store.read(storeKey);
            } catch (StoreException e) {
                storeAnswers = false;
                lost(storeKey, e);
            }
            Stored<V> stored = storeAnswers ? reader.read(bytes) : null;
            if (stored != null && !stored.stale()) {
                return stored.value();
            }
            LeaseToken seen = bytes == null ? null : LeaseToken.startOf(bytes);
            Miss<K, V> miss = new Miss<>(key, storeKey, loader, seen, storeAnswers);
            if (stored != null) {
                refresh.offer(miss);
                return stored.value();
            }
            deadline = deadline == null ? Deadline.in(waitTimeout, time) : deadline;
            Outcome<V> outcome = fly(miss, deadline);
            if (outcome != null) {
                return outcome.get(storeKey);
            }
        }
    }

    /** Lets nobody who comes later join a load that is in flight now, nor rest for a cool-down that was ended. */
    void outdate(String storeKey) {
        flights.forget(storeKey);
        refresh.wake(storeKey);
    }

    @Override
    public void close() {
        refresh.close();
    }

    /** Notes that the store does not answer; the call goes on without it, unless the caller was cut off. */
    private void lost(String storeKey, StoreException e) {
        events.read(ReadOutcome.UNAVAILABLE);
        events.fault(FaultSource.STORE, e);
        if (Thread.currentThread().isInterrupted()) {
            throw WaitInterruptedException.restoringFlag(storeKey, e);
        }
    }

    /** Leads the flight of the key, or waits for it; {@code null} if this caller must begin again. */
    private @Nullable Outcome<V> fly(Miss<K, V> miss, Deadline deadline) {
        Seat<Outcome<V>> seat = flights.join(miss.storeKey());
        return seat.leads() ? protectedLoad.lead(miss, seat.flight(), deadline) : follow(miss, seat, deadline);
    }

    private @Nullable Outcome<V> follow(Miss<K, V> miss, Seat<Outcome<V>> seat, Deadline deadline) {
        long began = time.monotonicNanos();
        WaitOutcome waited = WaitOutcome.TIMED_OUT;
        try {
            boolean landed = time.await(seat.landed(), deadline.remainingNanos());
            Outcome<V> outcome = landed ? resultOf(seat, miss) : null;
            if (outcome == null && deadline.isOver()) {
                throw new WaitTimeoutException(
                        "the load of " + KeyText.shown(miss.storeKey()) + " did not end within the waitTimeout");
            }
            waited = outcome == null ? WaitOutcome.SENT_ROUND : WaitOutcome.ANSWERED;
            return outcome;
        } catch (InterruptedException e) {
            waited = WaitOutcome.INTERRUPTED;
            throw WaitInterruptedException.restoringFlag(miss.storeKey(), e);
        } finally {
            events.waited(waited, time.monotonicNanos() - began);
        }
    }

    /** What was loaded without a lease is for those who could not reach the store: others may know of an invalidation. */
    private @Nullable Outcome<V> resultOf(Seat<Outcome<V>> seat, Miss<K, V> miss) {
        return miss.storeAnswers() ? seat.result() : seat.resultWithoutStore();
    }
}
