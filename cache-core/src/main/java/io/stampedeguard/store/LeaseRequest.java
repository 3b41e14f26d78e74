package io.stampedeguard.store;

import org.jspecify.annotations.Nullable;

/**
 * One question of many for a lease; as {@link SharedStore#lease}.
 *
 * @param key the key
 * @param token the name of this attempt
 * @param seen the token of the entry that is no use to the caller, or {@code null} if it saw none
 */
public record LeaseRequest(
        String key, LeaseToken token, @Nullable LeaseToken seen) {}
