package io.stampedeguard;

import io.stampedeguard.event.AnswerSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one {@code getAll}, and what has become of each so far. A key whose store does not answer gets an old copy of
 * the near cache rather than an exception. <em>Not thread-safe.</em>
 */
final class Batch<K, V> {
    private final KeyNames<K> names;
    private final StandIns<K, V> standIns;
    private final CacheEvents events;
    private final Map<String, K> keys;
    private final Map<K, @Nullable V> values; // in the order of the keys, with null for those without an answer
    private final Map<K, CacheException> failures = new HashMap<>();

    /** Takes the keys, each once; fails where one is null or has no text. */
    Batch(Collection<? extends K> asked, KeyNames<K> names, StandIns<K, V> standIns, CacheEvents events) {
        this.names = names;
        this.standIns = standIns;
        this.events = events;
        this.keys = names.ofAll(asked);
        this.values = new LinkedHashMap<>(capacityFor(keys.size()));
        keys.values().forEach(key -> values.put(key, null));
    }

    static int capacityFor(int size) {
        return size + size / 3 + 1;
    }

    /** Tells the keys by their names in the store, in their order. */
    Map<String, K> keys() {
        return keys;
    }

    void value(K key, @Nullable V value) {
        values.put(key, value);
    }

    void outcome(Look<K, V> look, Outcome<V> outcome) {
        try {
            V value = outcome.get(look.storeKey());
            events.answer(outcome.source());
            value(look.key(), value);
        } catch (CacheException e) {
            failure(look, e);
        }
    }

    void failure(Look<K, V> look, CacheException e) {
        boolean mayDegrade = !(e instanceof WaitInterruptedException || e instanceof RecursiveLoadException);
        Outcome<V> copy = look.storeAnswers() || !mayDegrade ? null : standIns.lastResort(look.key());
        if (copy == null) {
            failures.put(look.key(), e);
            events.answer(AnswerSource.FAILED);
        } else {
            outcome(look, copy);
        }
    }

    /**
     * Tells the values that there are.
     *
     * @throws BulkLoadException if a key has no answer
     */
    @SuppressWarnings("NullAway") // what is null is removed
    Map<K, V> result() {
        Map<K, CacheException> inOrder = new LinkedHashMap<>();
        if (!failures.isEmpty()) {
            for (K key : values.keySet()) {
                CacheException failure = failures.get(key);
                if (failure != null) {
                    inOrder.put(key, failure);
                }
            }
        }
        int asked = values.size();
        values.values().removeIf(Objects::isNull);
        if (!inOrder.isEmpty()) {
            throw BulkLoadException.of(names.cache(), asked, values, inOrder);
        }
        return values;
    }
}
