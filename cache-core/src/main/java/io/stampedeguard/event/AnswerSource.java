package io.stampedeguard.event;

/** Where the answer came from that a caller got for a key. */
public enum AnswerSource {
    /** The near cache: a fresh value, or "the origin has none". */
    NEAR,
    /** The near cache, as the store did not answer; and the origin did not either, if the copy is older than the bound of staleness. */
    NEAR_DEGRADED,
    /** The shared store: a fresh value. */
    STORE,
    /** The shared store: a stale value. */
    STALE,
    /** The shared store: a fresh "the origin has none". */
    NEGATIVE,
    /** The cache's own check which keys are valid: absent. */
    INVALID,
    /** The key filter: absent. */
    FILTERED,
    /** The loader, called by this caller. */
    LOADED,
    /** The loader, called by somebody else, in this process or another one: this caller waited. */
    WAITED,
    /** Nowhere: the caller got an exception. */
    FAILED
}
