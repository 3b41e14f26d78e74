package io.stampedeguard.internal.storage;

/**
 * A key under both its names.
 *
 * @param key as the loader knows it
 * @param storeKey as the store knows it
 */
public record NamedKey<K>(K key, String storeKey) {}
