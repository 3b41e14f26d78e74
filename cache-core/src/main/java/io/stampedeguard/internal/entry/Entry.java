package io.stampedeguard.internal.entry;

import io.stampedeguard.codec.CodecIdentity;
import io.stampedeguard.store.LeaseToken;
import java.nio.ByteBuffer;

/**
 * An entry as it is stored under a key. All times are of the store's clock. <em>Immutable</em>, provided that the payload is not
 * written to.
 *
 * @param token the token that published it
 * @param negative whether it is "the origin has none"; the payload is then empty
 * @param createdMillis when it was loaded
 * @param loadMillis how long the load took
 * @param codec the codec that encoded the value
 * @param payload the encoded value
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
