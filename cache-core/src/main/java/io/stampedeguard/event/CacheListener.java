package io.stampedeguard.event;

/**
 * Told of what a cache does, on the thread that does it; all methods do nothing unless overridden. A listener is
 * foreign code to the cache: what it throws is caught, counted and logged, and it should be quick: callers wait for it, and
 * so do the leases that are to be given back.
 *
 * <p>Implementations are <em>thread-safe</em>.
 */
public interface CacheListener {
    /**
     * A cache was built. Told before anything else of it.
     *
     * @param cache the cache's name
     * @param gauges what can be read of it at any time
     */
    default void onOpen(String cache, CacheGauges gauges) {}

    /**
     * A cache was closed. Told once.
     *
     * @param cache the cache's name
     * @param gauges those that were told when it was built
     */
    default void onClose(String cache, CacheGauges gauges) {}

    /**
     * A caller has got an answer for a key, or an exception; of a {@code getAll} this is told for each of its keys.
     *
     * @param cache the cache's name
     * @param source where the answer came from
     */
    default void onAnswer(String cache, AnswerSource source) {}

    /**
     * The key filter was asked for a key; of a {@code getAll} this is told for each of the keys it was asked for. A hit of the
     * near cache does not ask it.
     *
     * @param cache the cache's name
     * @param outcome what it said
     */
    default void onFilter(String cache, FilterOutcome outcome) {}

    /**
     * A look into the shared store is over, be it for a caller, for a reload in the background, or for one who waits.
     *
     * @param cache the cache's name
     * @param outcome what it brought
     */
    default void onRead(String cache, ReadOutcome outcome) {}

    /**
     * An attempt to take a lease is over, or a lease was found to be lost.
     *
     * @param cache the cache's name
     * @param outcome what it brought
     */
    default void onLease(String cache, LeaseOutcome outcome) {}

    /**
     * A load is over. A load of many keys is told once for each of them.
     *
     * @param cache the cache's name
     * @param outcome how it ended
     * @param nanos how long the loader ran; of a load of many keys all of that
     */
    default void onLoad(String cache, LoadOutcome outcome, long nanos) {}

    /**
     * A load has found that the origin does not have the key, whatever became of that: it may have been stored or not. Told
     * beside {@link #onLoad}, once for each such key.
     *
     * @param cache the cache's name
     */
    default void onAbsent(String cache) {}

    /**
     * A loader that was cut off at the {@code loadTimeout} has ignored its interrupt, or one that had has come to an end.
     * Each such loader keeps a thread. Beyond {@code maxConcurrentLoads} of them, each keeps its permit as well.
     *
     * @param cache the cache's name
     * @param running how many there are now
     */
    default void onStuckLoads(String cache, int running) {}

    /**
     * A caller has waited for a load of somebody else, in this process or another one.
     *
     * @param cache the cache's name
     * @param outcome how the wait ended
     * @param nanos how long it took
     */
    default void onWait(String cache, WaitOutcome outcome, long nanos) {}

    /**
     * An entry was to be reloaded in the background, as it is stale, or soon will be.
     *
     * @param cache the cache's name
     * @param outcome what became of it
     */
    default void onRefresh(String cache, RefreshOutcome outcome) {}

    /**
     * A batch of a prefetch is over, well or not.
     *
     * @param cache the cache's name
     * @param done how many keys have been asked for so far
     * @param total how many there are
     */
    default void onPrefetch(String cache, int done, int total) {}

    /**
     * A caller was answered with a value that is past its soft TTL.
     *
     * @param cache the cache's name
     * @param ageMillis how long ago it was loaded
     */
    default void onStale(String cache, long ageMillis) {}

    /**
     * A caller that waited for a load of somebody else has its answer.
     *
     * @param cache the cache's name
     * @param lagNanos how long after there was one: since the flight it was on landed or, if another process has loaded, since
     *     that loaded it, by the store's clock, which counts in milliseconds
     */
    default void onWakeUp(String cache, long lagNanos) {}

    /**
     * A value was stored, after a load or by {@code put}.
     *
     * @param cache the cache's name
     * @param payloadBytes how long it is as the codec encoded it; 0 for "the origin has none"
     */
    default void onStored(String cache, int payloadBytes) {}

    /**
     * A key cools down: its load has failed here, and nobody loads it for a while.
     *
     * @param cache the cache's name
     * @param millis for how long
     */
    default void onCoolDown(String cache, long millis) {}

    /**
     * The near cache has stopped hearing of changes, or may have missed some: what it holds is read again before it answers.
     *
     * @param cache the cache's name
     */
    default void onNearGap(String cache) {}

    /**
     * Something about the cache should be looked at. Told once for each advice, and logged as a warning.
     *
     * @param cache the cache's name
     * @param advice what it is about
     * @param words the same in words, with the figures
     */
    default void onAdvice(String cache, Advice advice, String words) {}

    /**
     * Called when an operation begins, on the thread that executes it, and that also ends it. Operations may be nested: a store
     * call may be part of a wait.
     *
     * @param cache the name of the cache
     * @param operation the operation
     * @return the scope that is notified of its end
     */
    default OperationScope onOperation(String cache, Operation operation) {
        return OperationScope.NONE;
    }

    /**
     * An exception was caught that no caller sees.
     *
     * @param cache the cache's name
     * @param source whose it was; {@link FaultSource#LISTENER}: another listener's, never one's own
     * @param fault the exception
     */
    default void onFault(String cache, FaultSource source, Throwable fault) {}
}
