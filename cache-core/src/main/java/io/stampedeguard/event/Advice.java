package io.stampedeguard.event;

/** What an operator is advised to look at. */
public enum Advice {
    /** Loads take longer than the {@code leaseTtl}: one that is not renewed in time is loaded again elsewhere. */
    LEASE_SHORTER_THAN_LOADS,
    /** Loads take longer than the {@code waitTimeout}: who waits gives up before there is an answer. */
    WAIT_SHORTER_THAN_LOADS,
    /** Loads are slow, and nothing stale is served: callers wait for each of them. */
    NOTHING_STALE_ON_SLOW_LOADS,
    /** Many entries were made within a time that is long against the jitter of their TTLs: they expire as close together. */
    JITTER_TOO_SMALL,
    /** Callers wait for something that the store is short of, such as connections. */
    STORE_TOO_SMALL,
    /** "The origin has none" is believed for longer than a value. */
    NEGATIVE_LONGER_THAN_VALUES,
    /** The key filter has more keys than it was made for, and lets too many others pass. */
    FILTER_TOO_SMALL
}
