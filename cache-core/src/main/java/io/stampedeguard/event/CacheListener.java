package io.stampedeguard.event;

/**
 * Receives the events of a cache, on the thread that causes them. All methods do nothing unless overridden. Exceptions of a
 * listener are caught, counted, and logged. A listener should be fast: callers wait for it, and so do leases to be released, and
 * loads to be published; so one that calls its cache may wait for itself, until the {@code waitTimeout}.
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
     * Called when a caller got an answer for a key, or an exception; for {@code getAll}, once per key. The only call for a hit in
     * the near cache, which allocates nothing.
     *
     * @param cache the cache's name
     * @param source where the answer came from
     */
    default void onRead(String cache, AnswerSource source) {}

    /**
     * Called for everything else that happens.
     *
     * @param cache the cache's name
     * @param event the event
     */
    default void onEvent(String cache, CacheEvent event) {}

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
}
