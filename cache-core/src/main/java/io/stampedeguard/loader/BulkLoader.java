package io.stampedeguard.loader;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the values of many keys from the origin at once. What each way to end means is told by {@link Loader}; an exception
 * fails all keys it was called for, and no others.
 *
 * <p>Bulk loaders are <em>thread-safe</em>.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
@FunctionalInterface
public interface BulkLoader<K, V> {
    /**
     * Reads the values of keys.
     *
     * @param keys at least one key, each once; in the order of the batch; not to be changed
     * @return the values; a key that is missing or has {@code null} is one of which the origin has none, and keys that were
     *     not asked for are passed over
     * @throws Exception if the origin cannot tell
     */
    Map<? extends K, ? extends @Nullable V> loadAll(Set<K> keys) throws Exception;
}
