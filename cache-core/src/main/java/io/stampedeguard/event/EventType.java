package io.stampedeguard.event;

/**
 * What happened in a cache. A load of many keys, and {@code getAll}, report each of their keys. In the groups below except the
 * last one, what follows the first underscore is the value of a tag of the meters.
 *
 * <ul>
 *   <li>{@code FILTER_}: the key filter's answer for a key. A hit in the near cache does not query it.
 *   <li>{@code STORE_}: a read of the shared store, for a caller, a waiting caller, or a reload in the background.
 *   <li>{@code LEASE_}: a request for a lease, or its renewal.
 *   <li>{@code UNLEASED_}: a key is about to be loaded without a lease, so that other processes may load it at the same time.
 *   <li>{@code LOAD_}: a load has ended. The figure is how long the loader ran; for a load of many keys, the whole run.
 *   <li>{@code WAIT_}: a caller has waited for another caller's load, in this process or another one. The figure is how long.
 *   <li>{@code REFRESH_}: an entry is to be reloaded in the background, because it is stale or soon will be.
 *   <li>{@code ADVICE_}: the subject of a {@link CacheEvent.Advice}.
 * </ul>
 *
 * <p>Types with a figure are reported as a {@link CacheEvent.Measured}; times are in nanoseconds. Types without a figure, an
 * exception, or words are themselves the event; {@link #ORIGIN} and {@link #BREAKER} are reported as the new state.
 */
public enum EventType implements CacheEvent {
    /** The key may exist, so store and origin are asked. A filter that is not in force answers this for every key. */
    FILTER_MAYBE,
    /** The key does not exist: neither store nor origin is asked. */
    FILTER_ABSENT,
    /** The filter threw an exception; treated as "maybe". */
    FILTER_FAILED,

    /** The store had a fresh value. */
    STORE_FRESH,
    /** The store had a stale value, which is served and reloaded in the background. */
    STORE_STALE,
    /** The store had a fresh "the origin has none". */
    STORE_NEGATIVE,
    /** The store had no entry, or one that is too old to be served. */
    STORE_ABSENT,
    /** The store had bytes that are not an entry. */
    STORE_DAMAGED,
    /** The store had an entry of a newer format, of another codec, or one that the codec could not decode: it stays as it is. */
    STORE_INCOMPATIBLE,
    /** The store did not answer the read. */
    STORE_UNAVAILABLE,

    /** The lease was granted: this process loads. */
    LEASE_GRANTED,
    /** A value was found that another process has published in the meantime. */
    LEASE_FOUND,
    /** Another process holds the lease. */
    LEASE_HELD,
    /** A load has just failed, and the key is cooling down. */
    LEASE_COOLING,
    /** Results of this key are not stored, so this process loads without a lease. */
    LEASE_NOT_CACHEABLE,
    /** The store did not answer the request. */
    LEASE_UNAVAILABLE,
    /** The lease was found to be lost when it was to be renewed. */
    LEASE_LOST,
    /** The lease was granted after another process had held it and published nothing; besides {@link #LEASE_GRANTED}. */
    LEASE_TAKEN_OVER,

    /** The store was known not to answer before a request for the lease was sent, so there was none. */
    UNLEASED_STORE_DOWN,
    /** A request got no answer, or the circuit breaker opened meanwhile; the store may have granted the lease nevertheless. */
    UNLEASED_UNANSWERED,
    /**
     * The store answers, and has refused the request: it is full or read-only, for instance, or a permission is missing; or the
     * request was not sent, because the store answers reads and leaves changes unanswered.
     */
    UNLEASED_REFUSED,
    /** The results of this key are not stored, as the load before it has noted. */
    UNLEASED_NOT_CACHEABLE,

    /** A value, or "the origin has none", was stored. */
    LOAD_STORED,
    /** The value was rejected by the store: the lease was lost, or the key was invalidated in the meantime. */
    LOAD_FENCED,
    /** The value was not stored: no lease, no answer of the store, an encoding error, too large, or not wanted by the loader. */
    LOAD_NOT_STORED,
    /** The loader threw an exception or an error, or was interrupted. */
    LOAD_FAILED,
    /** The loader was cut off at the {@code loadTimeout}. */
    LOAD_TIMED_OUT,
    /** The loader was not called: the {@code loaderExecutor} rejected the load, or no thread began it within the {@code loadTimeout}. */
    LOAD_NOT_BEGUN,

    /** The waiting caller has an answer, a value or a failure. */
    WAIT_ANSWERED,
    /** The caller retries: the load's result was not valid for it. */
    WAIT_RETRY,
    /** The wait has timed out. */
    WAIT_TIMED_OUT,
    /** The waiting caller was interrupted. */
    WAIT_INTERRUPTED,

    /** The reload was queued; the entry is stale. */
    REFRESH_QUEUED,
    /** The reload was queued; the entry is still fresh. */
    REFRESH_EARLY,
    /** Dropped: queue full, no permit free, or rejected by the executor for loaders. A later read requests it again. */
    REFRESH_DROPPED,

    /** A load did not find the key at the origin, whether or not that was stored; besides the end of the load. */
    ABSENT,
    /** A value was stored, after a load or by {@code put}. The figure is the size as encoded; 0 for "the origin has none". */
    STORED,
    /** A caller was answered with a value that is past its soft TTL. The figure is the time since it was loaded. */
    STALE,
    /**
     * A caller that waited for another caller's load has its answer. The figure is the time since the answer was available: since the
     * load in this process completed or, if another process loaded, since it loaded the value, by the store's clock, which has a
     * resolution of 1 ms.
     */
    WOKEN,
    /** A load has failed here, and no process loads the key for a while. The figure is how long. */
    COOL_DOWN,
    /** The near cache is no longer notified of changes, or may have missed some: entries are read again before use. */
    NEAR_GAP,
    /** A batch of a prefetch has ended, whether or not it failed. The figure is the number of keys processed so far. */
    PREFETCHED,
    /**
     * A loader that was cut off at the {@code loadTimeout} has ignored its interrupt, or such a loader has ended. The figure is their
     * number now. Each occupies a thread. If there are more of them than loads that may run at once, each of the others keeps its
     * permit as well.
     */
    STUCK_LOADS,
    /**
     * A change by {@code put}, {@code invalidate}, or {@code expire} was queued because the store did not answer it, or a queued
     * change was sent. The figure is the number of keys whose changes are queued now; concurrent calls may report theirs out of order.
     */
    QUEUED_CHANGES,
    /** The origin is in a new state, an {@link OriginState} adjacent to the previous one; initially {@link OriginState#NORMAL}. */
    ORIGIN,
    /**
     * The circuit breaker between this process and the store is in a new {@link BreakerState}; of a store with several servers, the
     * worst of theirs. Reported one after another, in the order of the changes. Caches on one store share its circuit breaker.
     */
    BREAKER,
    /** An exception was caught that reaches no caller: a {@link CacheEvent.Fault}. */
    FAULT,

    /** Loads take longer than the {@code leaseTtl}: a lease that is not renewed in time causes a second load elsewhere. */
    ADVICE_LEASE_SHORTER_THAN_LOADS,
    /** Loads take longer than the {@code waitTimeout}: waiting callers fail before there is an answer. */
    ADVICE_WAIT_SHORTER_THAN_LOADS,
    /** Loads are slow, and nothing stale is served: callers wait for each of them. */
    ADVICE_NOTHING_STALE_ON_SLOW_LOADS,
    /** Callers wait for something that the store is short of, such as connections. */
    ADVICE_STORE_TOO_SMALL,
    /** "The origin has none" is cached for longer than a value. */
    ADVICE_NEGATIVE_LONGER_THAN_VALUES,
    /** The key filter contains more keys than it was sized for, and lets too many nonexistent keys pass. */
    ADVICE_FILTER_TOO_SMALL,
    /** A loaded value is another one once it is encoded and decoded: other callers get something else than the one that loaded. */
    ADVICE_VALUE_CHANGED_BY_CODEC;

    @Override
    public EventType type() {
        return this;
    }
}
