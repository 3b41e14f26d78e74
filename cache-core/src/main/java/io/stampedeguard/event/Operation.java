package io.stampedeguard.event;

/** An operation of a cache that takes time: a load, a wait, or a call of the shared store. */
public enum Operation {
    /** A call of the loader, for one key or for many. */
    LOAD(false),
    /** The wait of a caller for a load by another caller, in this process or another one. */
    WAIT(false),
    /** Reading the entry of a key from the store. */
    READ(true),
    /** Reading the entries of many keys from the store. */
    READ_ALL(true),
    /** Acquiring leases. */
    LEASE(true),
    /** Renewing leases. */
    RENEW(true),
    /** Publishing entries under leases, or extending them. */
    PUBLISH(true),
    /** Releasing leases without an entry, after a failure or not. */
    RELEASE(true),
    /** Storing an entry by {@code put}. */
    PUT(true),
    /** Invalidating a key. */
    INVALIDATE(true),
    /** Making an entry stale. */
    EXPIRE(true);

    private final boolean ofStore;

    Operation(boolean ofStore) {
        this.ofStore = ofStore;
    }

    /** {@return whether this is a call of the store, so that its failure is a failure of the store} */
    public boolean isOfStore() {
        return ofStore;
    }
}
