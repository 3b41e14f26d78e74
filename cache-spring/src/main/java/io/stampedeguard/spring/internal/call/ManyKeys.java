package io.stampedeguard.spring.internal.call;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.loader.BulkLoader;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.LookupResult;
import io.stampedeguard.spring.internal.transaction.Access;
import io.stampedeguard.spring.internal.transaction.Transactions;
import io.stampedeguard.spring.internal.value.DeclaredValue;
import io.stampedeguard.spring.internal.value.TypedValue;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads of many keys of a cache. <em>Thread-safe.</em> */
final class ManyKeys {
    private final GuardedCache cache;
    private final StampedeGuardedCache<String, TypedValue> core;
    private final Transactions transactions;

    ManyKeys(GuardedCache cache, Transactions transactions) {
        this.cache = cache;
        this.core = cache.core();
        this.transactions = transactions;
    }

    /**
     * Returns the values of many keys, and loads those that have none. In a transaction, which must not wait for the loads of others,
     * what it loads is not stored; if it has changed one of the keys, it loads all.
     */
    <K, V> Map<K, TypedValue> getAll(Map<String, K> byText, BulkLoader<K, V> loader, Loading loading) {
        BulkLoader<String, TypedValue> typed = texts -> {
            Map<String, K> wanted = new LinkedHashMap<>(byText);
            wanted.keySet().retainAll(texts);
            Map<? extends K, ? extends @Nullable V> loaded = loader.loadAll(new LinkedHashSet<>(wanted.values()));
            Map<String, TypedValue> results = new HashMap<>();
            wanted.forEach((text, key) -> {
                V value = loaded.get(key);
                if (value != null) {
                    results.put(text, new TypedValue(cache.typeOf(value, loading), value));
                }
            });
            return results;
        };
        DeclaredValue expected = loading.expectedIn(cache);
        Access access = transactions.access(cache.name(), byText.keySet());
        Map<String, TypedValue> found = access.isInTransaction()
                ? foundOrLoaded(byText.keySet(), access.mayLookUp(), typed, expected)
                : core.getAll(byText.keySet(), typed);
        Map<K, TypedValue> values = new LinkedHashMap<>();
        found.forEach((text, value) -> {
            TypedValue answer = GuardedCache.isOf(value, expected)
                    ? value
                    : core.getNotOlderThan(
                            text,
                            Duration.ZERO,
                            one -> typed.loadAll(Set.of(one)).get(one));
            if (answer != null) {
                values.put(byText.get(text), answer);
            }
        });
        return values;
    }

    @SuppressWarnings("CatchingUnchecked") // what the loader throws
    private Map<String, TypedValue> foundOrLoaded(
            Set<String> texts,
            boolean mayLookUp,
            BulkLoader<String, TypedValue> loader,
            @Nullable DeclaredValue expected) {
        Map<String, TypedValue> found = new HashMap<>();
        Set<String> missing = new LinkedHashSet<>(texts);
        if (mayLookUp) {
            missing.removeIf(text -> {
                LookupResult<TypedValue> each = core.lookup(text);
                if (each.value() != null && GuardedCache.isAnswer(each, expected)) {
                    found.put(text, each.value());
                }
                return GuardedCache.isAnswer(each, expected);
            });
        }
        try {
            if (!missing.isEmpty()) {
                found.putAll(loader.loadAll(missing));
            }
            return found;
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new LoadException("the loader of " + missing.size() + " keys failed", e);
        }
    }
}
