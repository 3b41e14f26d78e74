package io.stampedeguard.event;

/**
 * Receives the events of a cache, on the thread that causes them. All methods do nothing unless overridden. Exceptions of a
 * listener are caught, counted, and logged. A listener should be fast: callers wait for it, and so do leases to be released.
 * Implementations are <em>thread-safe</em>.
 */
public interface CacheListener {
    /**
     * Called when a cache was built, before any other event of it.
     *
     * @param cache the cache's name
     * @param gauges values that can be read at any time
     */
    default void onOpen(String cache, CacheGauges gauges) {}

    /**
     * Called once when a cache was closed.
     *
     * @param cache the cache's name
     * @param gauges those passed to {@link #onOpen}
     */
    default void onClose(String cache, CacheGauges gauges) {}

    /**
     * Called when a caller got an answer for a key, or an exception; for {@code getAll}, once per key.
     *
     * @param cache the cache's name
     * @param source where the answer came from
     */
    default void onAnswer(String cache, AnswerSource source) {}

    /**
     * Called when the key filter was queried for a key; for {@code getAll}, once per key. A near-cache hit does not query it.
     *
     * @param cache the cache's name
     * @param outcome its answer
     */
    default void onFilter(String cache, FilterOutcome outcome) {}

    /**
     * Called after a read of the shared store, for a caller, a waiting caller, or a reload in the background.
     *
     * @param cache the cache's name
     * @param outcome its result
     */
    default void onRead(String cache, ReadOutcome outcome) {}

    /**
     * Called after a request for a lease, or when a lease was found to be lost.
     *
     * @param cache the cache's name
     * @param outcome its result
     */
    default void onLease(String cache, LeaseOutcome outcome) {}

    /**
     * Called when a key is about to be loaded without a lease; for a load of many keys, once per key.
     *
     * @param cache the cache's name
     * @param reason the reason
     */
    default void onUnleasedLoad(String cache, UnleasedReason reason) {}

    /**
     * Called when a load has ended; for a load of many keys, once per key.
     *
     * @param cache the cache's name
     * @param outcome how it ended
     * @param nanos how long the loader ran; for a load of many keys, the whole run
     */
    default void onLoad(String cache, LoadOutcome outcome, long nanos) {}

    /**
     * Called for each key that a load did not find at the origin, whether or not that was stored, in addition to {@link #onLoad}.
     *
     * @param cache the cache's name
     */
    default void onAbsent(String cache) {}

    /**
     * Called when a loader that was cut off at the {@code loadTimeout} has ignored its interrupt, and when such a loader has
     * ended. Each such loader occupies a thread. If there are more of them than loads that may run at once, each of the others
     * keeps its permit as well.
     *
     * @param cache the cache's name
     * @param running their number now
     */
    default void onStuckLoads(String cache, int running) {}

    /**
     * Called when the state of the origin changes: when loads become so slow or so many that the cache begins to shed loads, and
     * at each further step and each step back.
     *
     * @param cache the cache's name
     * @param state the new state, adjacent to the previous one; initially {@link OriginState#NORMAL}
     */
    default void onOriginState(String cache, OriginState state) {}

    /**
     * Called when a change by {@code put}, {@code invalidate}, or {@code expire} was queued because the store did not answer it,
     * and when a queued change was sent.
     *
     * @param cache the cache's name
     * @param queued the number of keys whose changes are queued now; concurrent calls may report theirs out of order
     */
    default void onQueuedChanges(String cache, int queued) {}

    /**
     * Called when the circuit breaker between this process and the store has changed its state; one call after another, in the
     * order of the changes. Caches on one store share its circuit breaker.
     *
     * @param cache the cache's name
     * @param state the new state; of a store with several servers, the worst of theirs
     */
    default void onBreaker(String cache, BreakerState state) {}

    /**
     * Called when a caller has waited for another caller's load, in this process or another one.
     *
     * @param cache the cache's name
     * @param outcome how the wait ended
     * @param nanos how long it took
     */
    default void onWait(String cache, WaitOutcome outcome, long nanos) {}

    /**
     * Called when an entry is to be reloaded in the background, because it is stale or soon will be.
     *
     * @param cache the cache's name
     * @param outcome whether the reload was queued or dropped
     */
    default void onRefresh(String cache, RefreshOutcome outcome) {}

    /**
     * Called after each batch of a prefetch, whether or not it failed.
     *
     * @param cache the cache's name
     * @param done the number of keys processed so far
     * @param total the number of all keys
     */
    default void onPrefetch(String cache, int done, int total) {}

    /**
     * Called when a caller was answered with a value that is past its soft TTL.
     *
     * @param cache the cache's name
     * @param ageMillis how long ago it was loaded
     */
    default void onStale(String cache, long ageMillis) {}

    /**
     * Called when a caller that waited for another caller's load has its answer.
     *
     * @param cache the cache's name
     * @param lagNanos the time in nanoseconds since the answer was available: since the load in this process completed or, if
     *     another process loaded, since it loaded the value, by the store's clock, which has a resolution of 1 ms
     */
    default void onWakeUp(String cache, long lagNanos) {}

    /**
     * Called when a value was stored, after a load or by {@code put}.
     *
     * @param cache the cache's name
     * @param payloadBytes the size of the encoded value; 0 for "the origin has none"
     */
    default void onStored(String cache, int payloadBytes) {}

    /**
     * Called when a load has failed here and the key starts to cool down: no process loads it for a while.
     *
     * @param cache the cache's name
     * @param millis the length of the cool-down
     */
    default void onCoolDown(String cache, long millis) {}

    /**
     * Called when the near cache is no longer notified of changes, or may have missed some: entries are read again before use.
     *
     * @param cache the cache's name
     */
    default void onNearGap(String cache) {}

    /**
     * Called once for each piece of advice, which is also logged as a warning.
     *
     * @param cache the cache's name
     * @param advice the subject
     * @param words the advice as text, with the figures
     */
    default void onAdvice(String cache, Advice advice, String words) {}

    /**
     * Called when an operation begins, on the thread that also ends it. Operations may be nested: a store call within a wait.
     *
     * @param cache the name of the cache
     * @param operation the operation
     * @return the scope that is notified of its end
     */
    default OperationScope onOperation(String cache, Operation operation) {
        return OperationScope.NONE;
    }

    /**
     * Called when an exception was caught that reaches no caller.
     *
     * @param cache the cache's name
     * @param source whose exception it was; with {@link FaultSource#LISTENER}, another listener's, never this one's
     * @param fault the exception
     */
    default void onFault(String cache, FaultSource source, Throwable fault) {}
}
