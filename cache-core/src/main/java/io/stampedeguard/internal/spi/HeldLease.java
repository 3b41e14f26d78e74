package io.stampedeguard.internal.spi;

/**
 * A lease and the token it was granted to; it may have been lost since. <em>Immutable.</em>
 *
 * @param key the key
 * @param token the token that was granted the lease
 */
public record HeldLease(String key, LeaseToken token) {}
