package io.stampedeguard.event;

/** How a caller's wait for somebody else's load ended. */
public enum WaitOutcome {
    /** With an answer, a value or a failure. */
    ANSWERED,
    /** With the advice to look again: the load was of no use to this caller. */
    SENT_ROUND,
    /** With a time-out. */
    TIMED_OUT,
    /** With an interrupt of the caller. */
    INTERRUPTED
}
