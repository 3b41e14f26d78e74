package io.stampedeguard.event;

/** What a look into the shared store brought. */
public enum ReadOutcome {
    /** A fresh value. */
    FRESH,
    /** A stale value: served, and reloaded in the background. */
    STALE,
    /** A fresh "the origin has none". */
    NEGATIVE,
    /** Nothing, or an entry too old to be served. */
    ABSENT,
    /** Bytes that are no entry. */
    DAMAGED,
    /** An entry of a newer format, of another codec, or one that the codec could not decode: it is left as it is. */
    INCOMPATIBLE,
    /** No answer from the store. */
    UNAVAILABLE
}
