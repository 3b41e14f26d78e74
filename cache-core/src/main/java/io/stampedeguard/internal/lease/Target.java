package io.stampedeguard.internal.lease;

import io.stampedeguard.internal.flight.Flight;
import io.stampedeguard.internal.storage.Look;
import org.jspecify.annotations.Nullable;

/**
 * What a load is for: a key, and those who wait for it.
 *
 * @param look the key
 * @param lease under which it is loaded; {@code null} if the store does not answer
 * @param keepsEntry whether the entry that is there is of use to others and must stay
 * @param flight who waits
 */
public record Target<K, V>(Look<K, V> look, @Nullable Lease lease, boolean keepsEntry, Flight<LoadResult<V>> flight) {
    public String storeKey() {
        return look.storeKey();
    }
}
