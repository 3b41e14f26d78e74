package io.stampedeguard.spring;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.loader.BulkLoader;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.spring.internal.call.GuardedCache;
import io.stampedeguard.spring.internal.call.TypedCalls;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A cache for code, with keys and values of one type, and the same entries as annotated methods. In transactions, it does as {@link
 * StampedeCache}. Loaders are documented in {@link Loader}.
 * <em>Thread-safe.</em>
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
public final class TypedCache<K, V> {
    private final TypedCalls<K, V> calls;

    TypedCache(GuardedCache guarded, Class<V> valueType) {
        this.calls = new TypedCalls<>(guarded, requireNonNull(valueType, "valueType"));
    }

    /** {@return the name of the cache} */
    public String name() {
        return calls.name();
    }

    /**
     * {@return the value of a key, or {@code null} if there is none}
     *
     * @param key the key
     * @param loader reads the origin, unless there is a value, or another caller in the fleet reads it
     * @throws RuntimeException the one that the loader has thrown, for all who waited for it
     * @throws io.stampedeguard.loader.CacheException as by {@link io.stampedeguard.StampedeGuardedCache#get(Object, Loader)}; with the
     *     loader's exception as the cause if that is a checked one
     */
    public @Nullable V get(K key, Loader<? super K, ? extends V> loader) {
        return calls.get(key, loader);
    }

    /**
     * {@return the value of a key if there is one, fresh or stale} Loads nothing.
     *
     * @param key the key
     */
    public @Nullable V getIfPresent(K key) {
        return calls.getIfPresent(key);
    }

    /**
     * {@return the values of many keys, without the keys that have none} In a transaction that has changed one of the keys, or must not
     * store what it loads, the loader is invoked with all keys, and nothing is stored.
     *
     * @param keys the keys
     * @param loader reads the origin; invoked with only those keys that this call loads
     * @throws io.stampedeguard.loader.BulkLoadException if some keys have no answer
     */
    public Map<K, V> getAll(Collection<? extends K> keys, BulkLoader<K, V> loader) {
        return calls.getAll(keys, loader);
    }

    /**
     * Stores a value, as a change.
     *
     * @param key the key
     * @param value the value
     */
    public void put(K key, V value) {
        calls.put(key, LoadedValue.of(requireNonNull(value, "value")));
    }

    /**
     * Stores a value, or that there is none, with TTLs and tags of its own.
     *
     * @param key the key
     * @param loaded the value
     */
    public void put(K key, LoadedValue<V> loaded) {
        calls.put(key, loaded);
    }

    /**
     * Removes a key.
     *
     * @param key the key
     */
    public void invalidate(K key) {
        calls.invalidate(key);
    }

    /** Removes all keys. */
    public void invalidateAll() {
        calls.invalidateAll();
    }

    /**
     * Removes what has a tag.
     *
     * @param tag the tag
     */
    public void invalidateTag(String tag) {
        calls.invalidateTag(tag);
    }

    /**
     * Marks the value of a key as stale: it is served while it is loaded again.
     *
     * @param key the key
     */
    public void expire(K key) {
        calls.expire(key);
    }

    /** Marks the values of all keys as stale. */
    public void expireAll() {
        calls.expireAll();
    }

    /**
     * Marks the values that have a tag as stale.
     *
     * @param tag the tag
     */
    public void expireTag(String tag) {
        calls.expireTag(tag);
    }
}
