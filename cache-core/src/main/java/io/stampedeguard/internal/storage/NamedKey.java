package io.stampedeguard.internal.storage;

/**
 * A key in both forms.
 *
 * @param key the loader's key
 * @param storeKey the store's key
 */
public record NamedKey<K>(K key, String storeKey) {}
