package io.stampedeguard.report;

/** Whether a key passes the {@code keyValidator} of the cache. */
public enum Validity {
    /** It can exist, or every key can. */
    VALID,
    /** It cannot exist: it is absent, and nobody is asked. */
    INVALID,
    /** The predicate threw: the key counts as valid. */
    FAILED
}
