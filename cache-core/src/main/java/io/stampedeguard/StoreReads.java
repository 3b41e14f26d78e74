package io.stampedeguard;

import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.ReadOutcome;
import io.stampedeguard.near.Ticket;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.store.StoreException;

/** Reads the store, and lets the near cache keep what is fresh. <em>Thread-safe.</em> */
final class StoreReads<K, V> {
    private final SharedStore store;
    private final EntryReader<V> reader;
    private final NearSide<K, V> near;
    private final CacheEvents events;

    StoreReads(CacheParts<K, V> parts) {
        this.store = parts.store();
        this.reader = parts.reader();
        this.near = parts.near();
        this.events = parts.events();
    }

    /**
     * Looks into the store, by one plain read.
     *
     * @throws WaitInterruptedException if this thread was interrupted meanwhile
     */
    Look<K, V> look(K key, String storeKey) {
        Ticket ticket = near.open(storeKey);
        byte[] bytes;
        try {
            bytes = store.read(storeKey);
        } catch (StoreException e) {
            return unanswered(key, storeKey, ticket, e);
        }
        Stored<V> stored = reader.read(bytes);
        Look<K, V> look =
                new Look<>(key, storeKey, ticket, stored, bytes == null ? null : LeaseToken.startOf(bytes), true);
        if (stored != null && !stored.isStale()) {
            near.keep(look, stored.value(), stored.entry());
        }
        return look;
    }

    /** Notes that the store does not answer; the call goes on without it, unless the caller was cut off. */
    private Look<K, V> unanswered(K key, String storeKey, Ticket ticket, StoreException e) {
        events.read(ReadOutcome.UNAVAILABLE);
        events.fault(FaultSource.STORE, e);
        if (Thread.currentThread().isInterrupted()) {
            throw WaitInterruptedException.restoringFlag(storeKey, e);
        }
        return new Look<>(key, storeKey, ticket, null, null, false);
    }
}
