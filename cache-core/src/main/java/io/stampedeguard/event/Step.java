package io.stampedeguard.event;

/** What a cache does that takes time: loads, waits, and calls of the shared store. */
public enum Step {
    /** A load by the user's loader, of one key or of many. */
    LOAD(false),
    /** The wait of a caller for a load of somebody else, in this process or another one. */
    WAIT(false),
    /** The store is asked for the entry of a key. */
    READ(true),
    /** The store is asked for the entries of many keys. */
    READ_ALL(true),
    /** Leases are asked for. */
    LEASE(true),
    /** Leases are renewed. */
    RENEW(true),
    /** Entries are published under leases, or extended. */
    PUBLISH(true),
    /** Leases are given back without an entry, after a failure or not. */
    RELEASE(true),
    /** An entry is put. */
    PUT(true),
    /** A key is invalidated. */
    INVALIDATE(true),
    /** An entry is made stale. */
    EXPIRE(true);

    private final boolean ofStore;

    Step(boolean ofStore) {
        this.ofStore = ofStore;
    }

    /**
     * Returns whether it is a call of the store.
     *
     * @return whether it is; its failure is then the store's
     */
    public boolean isOfStore() {
        return ofStore;
    }
}
