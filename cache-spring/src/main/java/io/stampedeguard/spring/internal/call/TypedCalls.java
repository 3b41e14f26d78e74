package io.stampedeguard.spring.internal.call;

import io.stampedeguard.loader.BulkLoader;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.spring.StampedeTag;
import io.stampedeguard.spring.internal.value.DeclaredValue;
import io.stampedeguard.spring.internal.value.TypedValue;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Calls of application code with keys and values of one type. <em>Thread-safe.</em> */
public final class TypedCalls<K, V> implements Loading {
    private final GuardedCache cache;
    private final Class<V> valueType;
    private final DeclaredValue declared;

    public TypedCalls(GuardedCache cache, Class<V> valueType) {
        this.cache = cache;
        this.valueType = valueType;
        this.declared = cache.declare(valueType, null);
    }

    public String name() {
        return cache.name();
    }

    @Override
    public DeclaredValue expectedIn(GuardedCache same) {
        return declared;
    }

    @Override
    public String where() {
        return "TypedCache<" + valueType.getSimpleName() + ">";
    }

    /** Returns the value of a key; loads it if there is none. */
    @SuppressWarnings("CatchingUnchecked") // what the loader throws
    public @Nullable V get(K key, Loader<? super K, ? extends V> loader) {
        try {
            return valueType.cast(cache.get(key, OnceOnly.of(() -> loader.load(key)), this));
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new LoadException("Cache '" + name() + "': the loader failed", e);
        }
    }

    /** Returns the value of a key if there is one. */
    public @Nullable V getIfPresent(K key) {
        TypedValue found = cache.lookup(key, this).value();
        return found == null || !found.isOf(declared) ? null : valueType.cast(found.value());
    }

    /** Returns the values of many keys; loads those that have none. */
    public Map<K, V> getAll(Collection<? extends K> keys, BulkLoader<K, V> loader) {
        Map<String, K> byText = new LinkedHashMap<>();
        keys.forEach(key -> byText.put(cache.textOf(key, where()), key));
        Map<K, V> values = new LinkedHashMap<>();
        cache.getAll(byText, loader, this).forEach((key, value) -> values.put(key, valueType.cast(value.value())));
        return values;
    }

    /** Stores a value. */
    public void put(K key, LoadedValue<V> loaded) {
        cache.put(key, loaded, this);
    }

    /** Removes a key. */
    public void invalidate(K key) {
        cache.evict(key, where());
    }

    /** Removes all keys. */
    public void invalidateAll() {
        cache.clear();
    }

    /** Removes what has a tag. */
    public void invalidateTag(String tag) {
        cache.evict(new StampedeTag(tag), where());
    }

    /** Marks a key as stale. */
    public void expire(K key) {
        String text = cache.textOf(key, where());
        cache.change(text, core -> core.expire(text));
    }

    /** Marks all keys as stale. */
    public void expireAll() {
        cache.change(null, core -> core.expireAll());
    }

    /** Marks what has a tag as stale. */
    public void expireTag(String tag) {
        cache.change(null, core -> core.expireTag(tag));
    }
}
