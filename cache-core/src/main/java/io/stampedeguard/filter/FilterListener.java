package io.stampedeguard.filter;

/**
 * Receives the events of a filter, on the thread that causes them. All methods do nothing unless overridden. Exceptions of a
 * listener are caught and logged. Implementations are <em>thread-safe</em>.
 */
public interface FilterListener {
    /**
     * Called when the filter comes into force or loses its bits, and after each growth by a tenth of its design fill.
     *
     * @param filter the filter's name
     * @param state the current state
     */
    default void onState(String filter, FilterState state) {}

    /**
     * Called about once per second during a rebuild, and when all keys have been read.
     *
     * @param filter the filter's name
     * @param keys the number of keys read so far
     */
    default void onRebuild(String filter, long keys) {}
}
