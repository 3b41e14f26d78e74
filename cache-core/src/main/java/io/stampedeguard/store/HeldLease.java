package io.stampedeguard.store;

/**
 * A lease that somebody believes to hold. <em>Immutable.</em>
 *
 * @param key the key
 * @param token the token the lease was granted to
 */
public record HeldLease(String key, LeaseToken token) {}
