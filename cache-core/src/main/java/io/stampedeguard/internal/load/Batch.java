package io.stampedeguard.internal.load;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.internal.lease.LoadResult;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.observe.Failures;
import io.stampedeguard.internal.storage.Copies;
import io.stampedeguard.internal.storage.KeyNames;
import io.stampedeguard.internal.storage.Look;
import io.stampedeguard.internal.storage.NamedKey;
import io.stampedeguard.loader.BulkLoadException;
import io.stampedeguard.loader.CacheException;
import io.stampedeguard.loader.RecursiveLoadException;
import io.stampedeguard.loader.WaitInterruptedException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one {@code get} or {@code getAll}, and the result of each so far. If the store does not answer for a key, an old
 * copy of the near cache comes before an exception. <em>Not thread-safe.</em>
 */
public final class Batch<K, V> implements LeaderLoad.Answers<K, V> {
    private final String cache;
    private final Copies<V> copies;
    private final StaleFallback<K, V> staleFallback;
    private final CacheEvents events;
    private final List<NamedKey<K>> keys;
    private final Map<K, @Nullable V> values; // in the order of the keys, with null for those without an answer
    private final Map<K, CacheException> failures = new HashMap<>();
    private int answered;

    private Batch(int size, CacheContext context, Copies<V> copies, StaleFallback<K, V> staleFallback) {
        this.cache = context.name();
        this.copies = copies;
        this.staleFallback = staleFallback;
        this.events = context.events();
        this.keys = new ArrayList<>(size);
        this.values = new LinkedHashMap<>(size + size / 3 + 1);
    }

    /** Takes keys, each once; fails where one is null or has no text. */
    public static <K, V> Batch<K, V> of(
            Collection<? extends K> asked,
            KeyNames<K> names,
            CacheContext context,
            Copies<V> copies,
            StaleFallback<K, V> staleFallback) {
        Batch<K, V> batch = new Batch<>(asked.size(), context, copies, staleFallback);
        for (K key : asked) {
            batch.add(key, names.of(key));
        }
        return batch;
    }

    /** Takes one key, for {@link #only}. */
    public static <K, V> Batch<K, V> ofOne(
            K key, String storeKey, CacheContext context, Copies<V> copies, StaleFallback<K, V> staleFallback) {
        Batch<K, V> batch = new Batch<>(1, context, copies, staleFallback);
        batch.add(key, storeKey);
        return batch;
    }

    private void add(K key, String storeKey) {
        values.put(key, null);
        if (values.size() > keys.size()) {
            keys.add(new NamedKey<>(key, storeKey));
        }
    }

    /** Returns the keys, in their order. */
    public List<NamedKey<K>> keys() {
        return keys;
    }

    public void value(K key, @Nullable V value) {
        if (value != null && values.put(key, copies.of(value)) == null) {
            answered++;
        }
    }

    @Override
    public void outcome(Look<K, V> look, LoadResult<V> outcome) {
        try {
            V value = outcome.get(look.storeKey());
            events.answer(outcome.source());
            value(look.key(), value);
        } catch (CacheException e) {
            failure(look, e);
        }
    }

    @Override
    public void failure(Look<K, V> look, CacheException e) {
        boolean mayDegrade = !(e instanceof WaitInterruptedException || e instanceof RecursiveLoadException);
        LoadResult<V> copy = !look.isAside() || !mayDegrade ? null : staleFallback.lastResort(look.key());
        if (copy == null) {
            failures.put(look.key(), e);
            events.answer(AnswerSource.FAILED);
        } else {
            outcome(look, copy);
        }
    }

    /**
     * Returns the values that there are.
     *
     * @throws BulkLoadException if a key has no answer
     */
    @SuppressWarnings("NullAway") // what is null is removed
    public Map<K, V> result() {
        if (answered < values.size()) {
            values.values().removeIf(Objects::isNull);
        }
        if (!failures.isEmpty()) {
            throw Failures.bulk(cache, keys.size(), values, inOrder(failures));
        }
        return values;
    }

    /** Returns the value of the only key, or {@code null} if the origin has none; throws its failure if it has no answer. */
    public @Nullable V only() {
        for (CacheException failure : failures.values()) {
            throw failure;
        }
        return values.values().iterator().next();
    }

    private Map<K, CacheException> inOrder(Map<K, CacheException> some) {
        Map<K, CacheException> ordered = new LinkedHashMap<>();
        for (NamedKey<K> each : keys) {
            CacheException failure = some.get(each.key());
            if (failure != null) {
                ordered.put(each.key(), failure);
            }
        }
        return ordered;
    }
}
