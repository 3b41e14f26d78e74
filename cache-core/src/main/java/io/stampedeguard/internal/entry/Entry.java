package io.stampedeguard.internal.entry;

import io.stampedeguard.codec.CodecIdentity;
import io.stampedeguard.store.LeaseToken;
import java.nio.ByteBuffer;

/**
 * An entry as it is stored under a key, with the token that published it. Times are of the store's clock. It was created when it
 * was loaded, which took {@code loadMillis}. The payload of "the origin has none" ({@code negative}) is empty.
 * <em>Immutable</em>, provided that the payload is not written to.
 */
public record Entry(
        LeaseToken token,
        boolean negative,
        long createdMillis,
        long softExpiryMillis,
        long hardExpiryMillis,
        int loadMillis,
        CodecIdentity codec,
        ByteBuffer payload) {

    /** Returns the freshness of the entry, by the store's clock. */
    public Freshness freshnessAt(long nowMillis) {
        if (nowMillis < Math.min(softExpiryMillis, hardExpiryMillis)) {
            return Freshness.FRESH;
        }
        return nowMillis < hardExpiryMillis ? Freshness.STALE : Freshness.EXPIRED;
    }
}
