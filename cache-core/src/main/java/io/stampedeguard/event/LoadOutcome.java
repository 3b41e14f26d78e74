package io.stampedeguard.event;

/** The outcome of a load. */
public enum LoadOutcome {
    /** A value, or "the origin has none", was stored. */
    STORED,
    /** The value was rejected by the store: the lease was lost, or the key was invalidated in the meantime. */
    FENCED,
    /** The value was not stored: no lease, no answer of the store, an encoding error, too large, or not wanted by the loader. */
    NOT_STORED,
    /** The loader threw an exception or an error, or was interrupted. */
    FAILED,
    /** The loader was cut off at the {@code loadTimeout}. */
    TIMED_OUT,
    /** The loader was not called: the {@code loaderExecutor} rejected the load, or no thread began it within the {@code loadTimeout}. */
    NOT_BEGUN
}
