package io.stampedeguard.loader;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A loader of many keys at once. The meaning of each result is documented in {@link Loader}; an exception fails all keys of the
 * call, and no others. The values are stored when the call returns: callers that wait for one of the keys wait for the whole call, at
 * most for the policy's {@code waitTimeout}. Bulk loaders are <em>thread-safe</em>.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
@FunctionalInterface
public interface BulkLoader<K, V> {
    /**
     * {@return the values; the origin has none for a key that is missing or {@code null}; keys not requested are ignored}
     *
     * @param keys at least one key, each once; in the order of the batch; not to be modified
     * @throws Exception if the origin cannot answer
     */
    Map<? extends K, ? extends @Nullable V> loadAll(Set<K> keys) throws Exception;
}
