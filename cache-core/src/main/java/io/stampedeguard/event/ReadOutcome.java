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
    /** Bytes that are no entry, or an entry whose payload the codec refused. */
    DAMAGED,
    /** No answer from the store. */
    UNAVAILABLE
}
