package io.stampedeguard.report;

/** What the cache's {@code validKeys} say of a key. */
public enum Validity {
    /** It can exist, or every key can. */
    VALID,
    /** It cannot exist: it is absent, and nobody is asked. */
    INVALID,
    /** The predicate threw: the key counts as valid. */
    FAILED
}
