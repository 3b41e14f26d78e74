package io.stampedeguard.event;

/** The outcome of a caller's wait for another caller's load. */
public enum WaitOutcome {
    /** The caller has an answer, a value or a failure. */
    ANSWERED,
    /** The caller retries: the load's result was not valid for it. */
    RETRY,
    /** The wait has timed out. */
    TIMED_OUT,
    /** The caller was interrupted. */
    INTERRUPTED
}
