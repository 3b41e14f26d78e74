package io.stampedeguard.spring;

import io.stampedeguard.loader.LoadedValue;

/**
 * Sets the TTLs or tags of a value by its contents, before it is stored: what a method has returned, or what {@code put} is given.
 * Implementations are <em>thread-safe</em>.
 * <pre>{@code
 * StampedeCacheCustomizer discontinued = (cache, key, loaded) ->
 *         loaded.value() instanceof Product product && product.isDiscontinued() ? loaded.softTtl(Duration.ofDays(1)) : loaded;
 * }</pre>
 */
@FunctionalInterface
public interface StampedeCacheCustomizer {
    /**
     * {@return how a value is stored: the given result, or a copy of it with other TTLs or tags, or {@linkplain
     * LoadedValue#doNotCache() not} at all} Called on the thread of the load; if it throws, the load fails.
     *
     * @param cacheName the name of the cache, as the annotation has it
     * @param key the key
     * @param loaded the value, {@code null} if there is none, with the tags of {@code @CacheTags}
     */
    LoadedValue<Object> customize(String cacheName, Object key, LoadedValue<Object> loaded);
}
