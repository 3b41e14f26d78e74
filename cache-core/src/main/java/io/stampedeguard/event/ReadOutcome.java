package io.stampedeguard.event;

/** What a look into the near cache, the key filter or the shared store brought. */
public enum ReadOutcome {
    /** A fresh value, or "the origin has none", of the near cache; the store was not asked. */
    NEAR,
    /** A value of the near cache, as the store did not answer; and the origin did not either, if it is older than the bound of staleness. */
    NEAR_DEGRADED,
    /** A key that is not valid, by the cache's own check: absent, the store was not asked. */
    INVALID,
    /** A key that the filter says does not exist: absent, the store was not asked. */
    FILTERED,
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
