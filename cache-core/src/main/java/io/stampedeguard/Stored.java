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
 * @param freshness what it was when it was read, by the store's clock
 * @param isDue whether it is to be reloaded
 */
record Stored<V>(@Nullable V value, Entry entry, Freshness freshness, boolean isDue) {
    boolean isStale() {
        return freshness != Freshness.FRESH;
    }

    Previous<V> asPrevious() {
        return new Previous<>(value, Instant.ofEpochMilli(entry.createdMillis()));
    }
}
