package io.stampedeguard.report;

/** The key filter's answer for a key. */
public enum FilterAnswer {
    /** The cache has no key filter. */
    NO_FILTER,
    /** The origin may have the key. */
    MAYBE,
    /** The origin does not have the key: it is absent, and neither store nor origin is asked. */
    ABSENT,
    /** The filter failed: the key may exist. */
    FAILED
}
