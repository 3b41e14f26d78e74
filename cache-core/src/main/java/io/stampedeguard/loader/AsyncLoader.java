package io.stampedeguard.loader;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Begins to read a value from the origin, and returns before it has it. What each way to end means is told by {@link
 * Loader}. A thread of the cache waits for the stage, and cancels its future if it does not end within the {@code
 * loadTimeout}.
 *
 * <p>Asynchronous loaders are <em>thread-safe</em>.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
@FunctionalInterface
public interface AsyncLoader<K, V> {
    /**
     * Begins to read the value of a key.
     *
     * @param key the key
     * @return a stage that ends with the value, with {@code null} if the origin has none, or with an exception if it cannot
     *     tell; the cause of the {@link LoadException} is that exception itself, without a {@link
     *     java.util.concurrent.CompletionException} around it. No stage at all is a failure
     * @throws Exception if it cannot even begin
     */
    CompletionStage<? extends @Nullable V> load(K key) throws Exception;
}
