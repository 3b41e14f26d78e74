package io.stampedeguard.internal.spi;

/**
 * A lease and the token it was granted to; it may have been lost since. <em>Immutable.</em>
 *
 * @param token the token that was granted the lease
 */
public record HeldLease(String key, LeaseToken token) {
    /** Returns the hash code of the key: hardly ever has a process two leases of one. */
    @Override
    public int hashCode() {
        return key.hashCode();
    }
}
