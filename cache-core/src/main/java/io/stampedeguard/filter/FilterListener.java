package io.stampedeguard.filter;

/**
 * Told of what becomes of a filter, on the thread that does it; all methods do nothing unless overridden. What it throws is
 * caught and logged.
 *
 * <p>Implementations are <em>thread-safe</em>.
 */
public interface FilterListener {
    /**
     * The filter is in force, or is not any more, or its fill has grown by another tenth of what it was made for.
     *
     * @param filter the filter's name
     * @param state how it is now
     */
    default void onState(String filter, FilterState state) {}

    /**
     * A rebuild has come further. Told about each second, and when all are read.
     *
     * @param filter the filter's name
     * @param keys how many keys it has read so far
     */
    default void onRebuild(String filter, long keys) {}
}
