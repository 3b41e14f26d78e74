package io.stampedeguard;

import io.stampedeguard.entry.Entry;
import io.stampedeguard.entry.Freshness;
import io.stampedeguard.store.LeaseToken;
import java.nio.ByteBuffer;
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
    private static final Entry NOTHING = new Entry(new LeaseToken(0, 0, 0), true, 0, 0, 0, 0, ByteBuffer.allocate(0));

    /** What is known of a key that cannot exist, of which the store was not asked. */
    static <V> Stored<V> impossible() {
        return new Stored<>(null, NOTHING, Freshness.FRESH, false);
    }

    boolean isStale() {
        return freshness != Freshness.FRESH;
    }

    Previous<V> asPrevious() {
        return new Previous<>(value, Instant.ofEpochMilli(entry.createdMillis()));
    }
}
