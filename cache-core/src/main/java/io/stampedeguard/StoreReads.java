package io.stampedeguard;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.ReadOutcome;
import io.stampedeguard.near.Ticket;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.store.StoreException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the store, unless a key cannot exist, and lets the near cache keep what is fresh. <em>Thread-safe.</em>
 */
final class StoreReads<K, V> {
    private final KeyAdmission<K> admission;
    private final SharedStore store;
    private final EntryReader<V> reader;
    private final NearSide<K, V> near;
    private final CacheEvents events;

    StoreReads(CacheParts<K, V> parts) {
        this.admission = parts.admission();
        this.store = parts.store();
        this.reader = parts.reader();
        this.near = parts.near();
        this.events = parts.events();
    }

    /**
     * Looks into the store, by one plain read, if the key may exist.
     *
     * @throws WaitInterruptedException if this thread was interrupted meanwhile
     */
    Look<K, V> look(K key, String storeKey) {
        AnswerSource refusal = admission.refusal(key);
        if (refusal != null) {
            return Look.impossible(key, storeKey, refusal);
        }
        Ticket ticket = near.open(storeKey);
        byte[] bytes;
        try {
            bytes = store.read(storeKey);
        } catch (StoreException e) {
            return unanswered(key, storeKey, ticket, e);
        }
        return answered(key, storeKey, ticket, bytes, reader.read(bytes));
    }

    private Look<K, V> answered(
            K key, String storeKey, Ticket ticket, byte @Nullable [] bytes, @Nullable Stored<V> stored) {
        if (stored == null) {
            LeaseToken seen = bytes == null ? null : LeaseToken.startOf(bytes);
            return new Look<>(key, storeKey, ticket, null, seen, true);
        }
        Look<K, V> look =
                new Look<>(key, storeKey, ticket, stored, stored.entry().token(), true);
        near.keep(look, stored.value(), stored.entry());
        return look;
    }

    /** As {@link #look}, for many keys, by one read of all that may exist; the keys by their names in the store. */
    List<Look<K, V>> lookAll(Map<String, K> keys) {
        Map<K, AnswerSource> refusals = admission.refusals(keys);
        if (refusals.isEmpty()) {
            return lookAllInStore(keys);
        }
        Map<String, K> possible = new LinkedHashMap<>(keys);
        possible.values().removeAll(refusals.keySet());
        List<Look<K, V>> looks = possible.isEmpty() ? new ArrayList<>() : lookAllInStore(possible);
        keys.forEach((storeKey, key) -> {
            AnswerSource refusal = refusals.get(key);
            if (refusal != null) {
                looks.add(Look.impossible(key, storeKey, refusal));
            }
        });
        return looks;
    }

    private List<Look<K, V>> lookAllInStore(Map<String, K> keys) {
        List<Ticket> tickets = new ArrayList<>(keys.size());
        for (String storeKey : keys.keySet()) {
            tickets.add(near.open(storeKey));
        }
        Map<String, byte @Nullable []> entries = readAll(keys);
        long nowMillis = isNothing(entries) ? 0 : store.currentTimeMillis();
        List<Look<K, V>> looks = new ArrayList<>(keys.size());
        for (Map.Entry<String, K> key : keys.entrySet()) {
            Ticket ticket = tickets.get(looks.size());
            looks.add(look(key.getValue(), key.getKey(), ticket, entries, nowMillis));
        }
        return looks;
    }

    private Look<K, V> look(
            K key, String storeKey, Ticket ticket, Map<String, byte @Nullable []> entries, long nowMillis) {
        byte[] bytes = entries.get(storeKey);
        if (bytes == null && !entries.containsKey(storeKey)) {
            events.read(ReadOutcome.UNAVAILABLE);
            return new Look<>(key, storeKey, ticket, null, null, false);
        }
        return answered(key, storeKey, ticket, bytes, bytes == null ? reader.none() : reader.read(bytes, nowMillis));
    }

    /** Then nobody needs the store's clock, which may cost a round trip. */
    private static boolean isNothing(Map<String, byte @Nullable []> entries) {
        for (byte[] entry : entries.values()) {
            if (entry != null) {
                return false;
            }
        }
        return true;
    }

    private Map<String, byte @Nullable []> readAll(Map<String, K> keys) {
        try {
            Map<String, byte @Nullable []> entries = store.readAll(keys.keySet());
            if (entries.size() < keys.size()) {
                events.unanswered(keys.size() - entries.size(), keys.size());
            }
            return entries;
        } catch (StoreException e) {
            events.fault(FaultSource.STORE, e);
            return Map.of();
        }
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
