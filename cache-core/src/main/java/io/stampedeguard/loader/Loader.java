package io.stampedeguard.loader;

import org.jspecify.annotations.Nullable;

/**
 * A function that reads a value from the origin. Invoked at most once per key and expiry in the whole fleet, on the thread of the
 * caller that leads (or, for a stale entry, on a background thread of the cache), outside any lock. The meaning of each result:
 * <ul>
 *   <li>a value: stored, and returned to all waiting callers; within one process, all get the <em>same</em> object;
 *   <li>{@code null}: the origin has none; cached for the negative TTL;
 *   <li>an exception: nothing is stored, and each waiting caller gets its own {@link LoadException} with this exception as cause;
 *   <li>an {@link Error}: the same for waiting callers, and rethrown unchanged to the caller that leads;
 *   <li>an {@link InterruptedException}: a {@link LoadException} for the caller that leads, whose interrupt flag is set again;
 *       the others retry, and one of them loads.
 * </ul>
 *
 * <p>Loaders are <em>thread-safe</em>: different keys are loaded concurrently.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
@FunctionalInterface
public interface Loader<K, V> {
    /**
     * {@return the value of a key, or {@code null} if the origin has none}
     *
     * @param key the key
     * @throws Exception if the origin cannot answer
     */
    @Nullable
    V load(K key) throws Exception;

    /**
     * {@return the given adaptive loader} Lets the compiler accept a lambda with two parameters as a loader.
     *
     * @param <K> the type of the keys
     * @param <V> the type of the values
     * @param loader the loader
     */
    static <K, V> Loader<K, V> adaptive(AdaptiveLoader<K, V> loader) {
        return loader;
    }
}
