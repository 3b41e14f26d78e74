package io.stampedeguard.event;

/** The source of the answer that a caller got for a key. */
public enum AnswerSource {
    /** The near cache: a fresh value, or "the origin has none". */
    NEAR,
    /**
     * This process, since the store did not answer, or may have lost its data: the near cache, or a queued {@code put}. If the copy
     * is beyond {@code maxStaleness}, the origin failed too.
     */
    NEAR_DEGRADED,
    /** The shared store: a fresh value. */
    STORE,
    /** The shared store: a stale value. */
    STALE,
    /** The shared store: a fresh "the origin has none". */
    NEGATIVE,
    /** The key validator: the key is invalid. */
    INVALID,
    /** The key filter: the key does not exist. */
    FILTERED,
    /** The loader, invoked by this caller. */
    LOADED,
    /** The loader, invoked by another caller, in this process or another one: this caller waited. */
    COALESCED,
    /** None: the caller got an exception. */
    FAILED
}
