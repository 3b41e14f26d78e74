package io.stampedeguard.event;

/** Why a key is loaded without a lease, so that other processes may load it at the same time. */
public enum UnleasedReason {
    /** The store was known not to answer before a request was sent, so there was none. */
    STORE_DOWN,
    /** A request got no answer, or the circuit breaker opened meanwhile; the store may have granted the lease nevertheless. */
    UNANSWERED,
    /** The store answers, and has refused the request: it is full or read-only, for instance, or a permission is missing. */
    REFUSED,
    /** The results of this key are not stored, as the load before it has noted. */
    NOT_CACHEABLE
}
