package io.stampedeguard;

import io.stampedeguard.entry.Entry;
import io.stampedeguard.entry.Freshness;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A usable answer of the shared store.
 *
 * @param value the value, or {@code null} for "the origin has none"
 * @param entry what is stored
 * @param nowMillis when it was judged, by the store's clock
 * @param dueMillis when it is to be reloaded
 */
record Stored<V>(@Nullable V value, Entry entry, long nowMillis, long dueMillis) {
    boolean isStale() {
        return entry.freshnessAt(nowMillis) != Freshness.FRESH;
    }

    /** Whether it should be reloaded, stale or not. */
    boolean isDue() {
        return nowMillis >= dueMillis;
    }

    Previous<V> asPrevious() {
        return new Previous<>(value, Instant.ofEpochMilli(entry.createdMillis()));
    }
}
