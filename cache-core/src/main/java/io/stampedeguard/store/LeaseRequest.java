package io.stampedeguard.store;

import org.jspecify.annotations.Nullable;

/**
 * One of many requests for leases; see {@link SharedStore#lease}.
 *
 * @param key the key
 * @param token the identity of this attempt
 * @param seen the token of the entry that is of no use to the caller, or {@code null} if it saw none
 */
public record LeaseRequest(
        String key, LeaseToken token, @Nullable LeaseToken seen) {}
