package io.stampedeguard;

import org.jspecify.annotations.Nullable;

/**
 * A usable answer of the shared store.
 *
 * @param value the value, or {@code null} for "the origin has none"
 * @param stale whether it should be reloaded
 */
record Stored<V>(@Nullable V value, boolean stale) {}
