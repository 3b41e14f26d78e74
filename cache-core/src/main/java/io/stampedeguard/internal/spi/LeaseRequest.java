package io.stampedeguard.internal.spi;

import io.stampedeguard.store.SharedStore;
import org.jspecify.annotations.Nullable;

/**
 * A request for a lease, or for a fence in its place; see {@link SharedStore#lease}.
 *
 * @param seen the token of the entry that is of no use to the caller (stale or damaged), or {@code null} if it saw none; an entry
 *     too short to begin with a token counts as none
 * @param isForFence whether a fence is requested instead of the lease
 */
public record LeaseRequest(
        String key, LeaseToken token, @Nullable LeaseToken seen, boolean isForFence) {
    /**
     * Creates a request for a lease.
     *
     * @param seen the token of the entry that is of no use to the caller, or {@code null}
     */
    public LeaseRequest(String key, LeaseToken token, @Nullable LeaseToken seen) {
        this(key, token, seen, false);
    }
}
