package io.stampedeguard.loader;

import org.jspecify.annotations.Nullable;

/**
 * Reads a value from the origin. Called at most once per key and expiry in the whole fleet, on the thread of the
 * caller that leads (or, for a stale entry, on a background thread of the cache), outside any lock. What each way to end
 * means:
 *
 * <ul>
 *   <li>a value: stored, and returned to all who wait, the <em>same</em> object to all in one process;
 *   <li>{@code null}: the origin has none; remembered for the negative TTL;
 *   <li>an exception: nothing is stored, and each waiting caller gets a {@link LoadException} of its own with this one
 *       as cause;
 *   <li>an {@link Error}: the same for those who wait, and thrown on as it is to the caller that leads;
 *   <li>an {@link InterruptedException}: a {@link LoadException} for the caller that leads, whose interrupt flag is set
 *       again; the others go round again, and one of them loads.
 * </ul>
 *
 * <p>Loaders are <em>thread-safe</em>: different keys are loaded at once.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
@FunctionalInterface
public interface Loader<K, V> {
    /**
     * Reads the value of a key.
     *
     * @param key the key
     * @return the value, or {@code null} if the origin has none
     * @throws Exception if the origin cannot tell
     */
    @Nullable
    V load(K key) throws Exception;

    /**
     * Helps the compiler to see that a lambda expression with two parameters is an adaptive loader.
     *
     * @param <K> the type of the keys
     * @param <V> the type of the values
     * @param loader the loader
     * @return the same
     */
    static <K, V> Loader<K, V> adaptive(AdaptiveLoader<K, V> loader) {
        return loader;
    }
}
