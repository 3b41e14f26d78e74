package io.stampedeguard.report;

/** The answer of the cache's {@code keyValidator} for a key. */
public enum Validity {
    /** The key is valid, or there is no validator. */
    VALID,
    /** The key is invalid: it is absent, and neither store nor origin is asked. */
    INVALID,
    /** The validator threw an exception: the key counts as valid. */
    FAILED
}
