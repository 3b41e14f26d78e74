package io.stampedeguard.event;

/** How a load ended. */
public enum LoadOutcome {
    /** With a value (or "none"), which was published. */
    STORED,
    /** With a value whose publishing was refused: the lease was lost, or the key invalidated meanwhile. */
    REFUSED,
    /** With a value that was not published: no lease, no answer of the store, or not encodable, or not to be kept. */
    UNSTORED,
    /** With an exception, an error or an interrupt of the loader. */
    FAILED,
    /** Not in time: it was cut off at the {@code loadTimeout}. */
    TIMED_OUT
}
