package io.stampedeguard.event;

/** The key filter's answer for a key. */
public enum FilterOutcome {
    /** The key may exist, so store and origin are asked. A filter that is not in force answers this for every key. */
    MAYBE,
    /** The key does not exist: neither store nor origin is asked. */
    ABSENT,
    /** The filter threw an exception; treated as "maybe". */
    FAILED
}
