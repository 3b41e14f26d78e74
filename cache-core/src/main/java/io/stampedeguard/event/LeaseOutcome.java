package io.stampedeguard.event;

/** What an attempt to take a lease brought. */
public enum LeaseOutcome {
    /** The lease: this process loads. */
    GRANTED,
    /** A value that somebody had published meanwhile. */
    FOUND,
    /** Nothing: somebody else holds the lease. */
    HELD,
    /** No answer from the store. */
    UNAVAILABLE
}
