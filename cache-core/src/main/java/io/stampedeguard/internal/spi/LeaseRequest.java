package io.stampedeguard.internal.spi;

import io.stampedeguard.store.SharedStore;
import org.jspecify.annotations.Nullable;

/**
 * A request for a lease; see {@link SharedStore#lease}.
 *
 * @param key the key
 * @param token the identity of this attempt
 * @param seen the token of the entry that is of no use to the caller (stale or damaged), or {@code null} if it saw none; an entry
 *     too short to begin with a token counts as none
 */
public record LeaseRequest(
        String key, LeaseToken token, @Nullable LeaseToken seen) {}
