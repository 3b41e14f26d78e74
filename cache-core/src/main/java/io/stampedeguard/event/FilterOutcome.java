package io.stampedeguard.event;

/** What the key filter said of a key. */
public enum FilterOutcome {
    /** The origin may have it: store and origin are asked. So says a filter that is not in force of each key. */
    MAYBE,
    /** The origin does not have it: nobody is asked. */
    ABSENT,
    /** Nothing, but an exception: taken for a "maybe". */
    FAILED
}
