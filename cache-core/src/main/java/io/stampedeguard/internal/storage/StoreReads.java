package io.stampedeguard.internal.storage;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.ReadOutcome;
import io.stampedeguard.internal.near.Ticket;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.observe.Failures;
import io.stampedeguard.internal.storage.KeyAdmission.NamedKey;
import io.stampedeguard.loader.WaitInterruptedException;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the store, unless a key cannot exist, and passes fresh entries to the near cache. <em>Thread-safe.</em> */
public final class StoreReads<K, V> {
    private final KeyAdmission<K> admission;
    private final SharedStore store;
    private final EntryReader<V> reader;
    private final NearTier<K, V> near;
    private final CacheEvents events;

    public StoreReads(
            CacheContext context,
            KeyAdmission<K> admission,
            SharedStore store,
            EntryReader<V> reader,
            NearTier<K, V> near) {
        this.admission = admission;
        this.store = store;
        this.reader = reader;
        this.near = near;
        this.events = context.events();
    }

    /**
     * Reads a key from the store, by one plain read, if the key may exist.
     *
     * @param patience how long the caller can wait for a connection
     * @throws WaitInterruptedException if this thread was interrupted in the meantime
     * @throws WaitTimeoutException if no connection became free
     */
    public Look<K, V> look(K key, String storeKey, Duration patience) {
        AnswerSource refusal = admission.refusal(key);
        if (refusal != null) {
            return Look.impossible(key, storeKey, refusal);
        }
        Ticket ticket = near.open(storeKey);
        byte[] bytes;
        try {
            bytes = store.read(storeKey, patience);
        } catch (StoreException e) {
            return unanswered(key, storeKey, ticket, e);
        }
        return answered(key, storeKey, ticket, bytes, reader.read(bytes));
    }

    private Look<K, V> answered(
            K key, String storeKey, Ticket ticket, byte @Nullable [] bytes, @Nullable Stored<V> stored) {
        if (stored == null) {
            LeaseToken seen = bytes == null ? null : LeaseToken.startOf(bytes);
            boolean keepsEntry = bytes != null && reader.isForOthers(bytes);
            Ticket aside = keepsEntry ? near.openAside(storeKey) : ticket;
            return new Look<>(key, storeKey, aside, null, seen, keepsEntry, true);
        }
        Look<K, V> look =
                new Look<>(key, storeKey, ticket, stored, stored.entry().token(), false, true);
        near.keep(look, stored.value(), stored.entry());
        return look;
    }

    /**
     * Reads many keys, each as {@link #look} does, by one read of all that may exist. If no connection became free for a key,
     * the store counts as not having answered for it: the request for its lease then waits for a connection.
     */
    public List<Look<K, V>> lookAll(List<NamedKey<K>> keys, Duration patience) {
        Map<K, AnswerSource> refusals = admission.refusals(keys);
        if (refusals.isEmpty()) {
            return lookAllInStore(keys, patience);
        }
        List<Look<K, V>> looks = new ArrayList<>(keys.size());
        List<NamedKey<K>> possible = new ArrayList<>(keys.size());
        for (NamedKey<K> each : keys) {
            AnswerSource refusal = refusals.get(each.key());
            if (refusal == null) {
                possible.add(each);
            } else {
                looks.add(Look.impossible(each.key(), each.storeKey(), refusal));
            }
        }
        if (!possible.isEmpty()) {
            looks.addAll(lookAllInStore(possible, patience));
        }
        return looks;
    }

    private List<Look<K, V>> lookAllInStore(List<NamedKey<K>> keys, Duration patience) {
        List<Ticket> tickets = near.openAll(keys);
        Map<String, byte @Nullable []> entries = readAll(keys, patience);
        List<Look<K, V>> looks = new ArrayList<>(keys.size());
        long nowMillis = -1;
        for (NamedKey<K> each : keys) {
            byte[] bytes = entries.get(each.storeKey());
            if (bytes != null && nowMillis == -1) { // not needed without an entry; may cost a round trip
                nowMillis = store.currentTimeMillis();
            }
            Ticket ticket = tickets.get(looks.size());
            looks.add(look(each, ticket, bytes, entries, nowMillis));
        }
        return looks;
    }

    private Look<K, V> look(
            NamedKey<K> key,
            Ticket ticket,
            byte @Nullable [] bytes,
            Map<String, byte @Nullable []> entries,
            long nowMillis) {
        String storeKey = key.storeKey();
        if (bytes != null) {
            return answered(key.key(), storeKey, ticket, bytes, reader.read(bytes, nowMillis));
        }
        if (entries.containsKey(storeKey)) {
            return answered(key.key(), storeKey, ticket, null, reader.none());
        }
        events.read(ReadOutcome.UNAVAILABLE);
        return Look.unanswered(key.key(), storeKey, ticket);
    }

    private Map<String, byte @Nullable []> readAll(List<NamedKey<K>> keys, Duration patience) {
        List<String> storeKeys = new ArrayList<>(keys.size());
        for (NamedKey<K> each : keys) {
            storeKeys.add(each.storeKey());
        }
        try {
            Map<String, byte @Nullable []> entries = store.readAll(storeKeys, patience);
            if (entries.size() < keys.size()) {
                tellUnanswered(new HashSet<>(storeKeys), entries);
            }
            return entries;
        } catch (StoreException e) {
            events.fault(FaultSource.STORE, e);
            return Map.of();
        }
    }

    /** Two keys may have the same text. */
    private void tellUnanswered(Set<String> asked, Map<String, byte @Nullable []> entries) {
        if (entries.size() < asked.size()) {
            events.unanswered(asked.size() - entries.size(), asked.size());
        }
    }

    /** Reports that the store did not answer; the call continues without it, unless the caller was interrupted. */
    private Look<K, V> unanswered(K key, String storeKey, Ticket ticket, StoreException e) {
        events.read(ReadOutcome.UNAVAILABLE);
        events.fault(FaultSource.STORE, e);
        if (e.isShortage()) {
            throw Failures.noConnection(storeKey, e);
        }
        if (Thread.currentThread().isInterrupted()) {
            throw Failures.interrupted(storeKey, e);
        }
        return Look.unanswered(key, storeKey, ticket);
    }
}
