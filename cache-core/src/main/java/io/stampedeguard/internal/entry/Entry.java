package io.stampedeguard.internal.entry;

import io.stampedeguard.codec.CodecIdentity;
import io.stampedeguard.store.LeaseToken;
import java.nio.ByteBuffer;

/**
 * An entry as it is stored under a key, with the token that published it; its creation (load) and expiries are by the store's
 * clock. If it is {@code negative}, the payload is empty. <em>Immutable</em>, if the payload is not written to.
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
