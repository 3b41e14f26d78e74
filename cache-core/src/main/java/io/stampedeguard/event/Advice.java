package io.stampedeguard.event;

/** The subject of a piece of advice for operators. */
public enum Advice {
    /** Loads take longer than the {@code leaseTtl}: a lease that is not renewed in time causes a second load elsewhere. */
    LEASE_SHORTER_THAN_LOADS,
    /** Loads take longer than the {@code waitTimeout}: waiting callers fail before there is an answer. */
    WAIT_SHORTER_THAN_LOADS,
    /** Loads are slow, and nothing stale is served: callers wait for each of them. */
    NOTHING_STALE_ON_SLOW_LOADS,
    /** Callers wait for something that the store is short of, such as connections. */
    STORE_TOO_SMALL,
    /** "The origin has none" is cached for longer than a value. */
    NEGATIVE_LONGER_THAN_VALUES,
    /** The key filter contains more keys than it was sized for, and lets too many nonexistent keys pass. */
    FILTER_TOO_SMALL,
    /** A loaded value is another one once it is encoded and decoded: other callers get something else than the one that loaded. */
    VALUE_CHANGED_BY_CODEC
}
