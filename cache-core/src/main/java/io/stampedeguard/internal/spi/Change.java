package io.stampedeguard.internal.spi;

import io.stampedeguard.store.SharedStore;
import java.time.Duration;

/**
 * A change of an entry by any caller, whoever holds the lease; see {@link SharedStore#change}. It ends the lease, and a cool-down
 * as well, so that the result of a running load is not stored. <em>Immutable</em>, except for the bytes, which are not to be
 * modified.
 */
public sealed interface Change {
    /**
     * Stores an entry. This takes effect during the call or never, also if its request is delayed on the way: otherwise it could
     * bring back what another process has removed meanwhile.
     *
     * @param entry the bytes, beginning with a token of their own
     * @param ttl how long the store keeps the entry, at least 1 ms
     */
    record Put(byte[] entry, Duration ttl) implements Change {}

    /** Removes the entry. */
    record Invalidate() implements Change {}

    /**
     * Overwrites a few bytes of the entry in place without changing its lifetime. If there is no entry of this length, only the
     * lease ends.
     *
     * @param offset the position of the bytes
     * @param mark the bytes
     */
    record Expire(int offset, byte[] mark) implements Change {}
}
