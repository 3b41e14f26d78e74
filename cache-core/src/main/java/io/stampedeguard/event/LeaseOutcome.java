package io.stampedeguard.event;

/** What an attempt to take or to renew a lease brought. */
public enum LeaseOutcome {
    /** The lease: this process loads. */
    GRANTED,
    /** A value that somebody had published meanwhile. */
    FOUND,
    /** Nothing: somebody else holds the lease. */
    HELD,
    /** Nothing: a load has failed a moment ago, and the key cools down. */
    COOLING,
    /** Nothing: the results of the key are not stored, and this process loads without a lease. */
    NOT_CACHEABLE,
    /** No answer from the store. */
    UNAVAILABLE,
    /** It had been granted, and was found to be lost when it was to be renewed. */
    LOST,
    /** The lease, which somebody else had held a moment ago who has published nothing: told besides {@link #GRANTED}. */
    TAKEN_OVER
}
