package io.stampedeguard.internal.entry;

import io.stampedeguard.codec.CodecIdentity;
import io.stampedeguard.store.LeaseToken;
import java.nio.ByteBuffer;

/**
 * What is stored under a key. All times are of the store's clock. <em>Immutable</em>, as long as nobody writes to the
 * payload.
 *
 * @param token the token that published it
 * @param negative whether it says "the origin has none"; the payload is then empty
 * @param createdMillis when it was loaded
 * @param softExpiryMillis until when it is fresh
 * @param hardExpiryMillis until when it may be served
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

    /**
     * Judges the entry by its age.
     *
     * @param nowMillis the store's clock
     * @return fresh, stale or expired
     */
    public Freshness freshnessAt(long nowMillis) {
        if (nowMillis < Math.min(softExpiryMillis, hardExpiryMillis)) {
            return Freshness.FRESH;
        }
        return nowMillis < hardExpiryMillis ? Freshness.STALE : Freshness.EXPIRED;
    }
}
