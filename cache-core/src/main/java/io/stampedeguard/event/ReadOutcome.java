package io.stampedeguard.event;

/** The outcome of a read of the shared store. */
public enum ReadOutcome {
    /** A fresh value. */
    FRESH,
    /** A stale value, which is served and reloaded in the background. */
    STALE,
    /** A fresh "the origin has none". */
    NEGATIVE,
    /** No entry, or one that is too old to be served. */
    ABSENT,
    /** Bytes that are not an entry. */
    DAMAGED,
    /** An entry of a newer format, of another codec, or one that the codec could not decode: it stays as it is. */
    INCOMPATIBLE,
    /** The store did not answer. */
    UNAVAILABLE
}
