package io.stampedeguard.event;

/** The outcome of a request for a lease, or of its renewal. */
public enum LeaseOutcome {
    /** The lease was granted: this process loads. */
    GRANTED,
    /** A value was found that another process has published in the meantime. */
    FOUND,
    /** Another process holds the lease. */
    HELD,
    /** A load has just failed, and the key is cooling down. */
    COOLING,
    /** Results of this key are not stored, so this process loads without a lease. */
    NOT_CACHEABLE,
    /** The store did not answer. */
    UNAVAILABLE,
    /** The lease was found to be lost when it was to be renewed. */
    LOST,
    /** The lease was granted after another process had held it and published nothing; reported besides {@link #GRANTED}. */
    TAKEN_OVER
}
