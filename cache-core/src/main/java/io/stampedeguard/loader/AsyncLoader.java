package io.stampedeguard.loader;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A loader that returns a stage before it has the value. The meaning of each result is documented in {@link Loader}. A thread of
 * the cache waits for the stage, and cancels its future if it does not complete within the {@code loadTimeout}. Asynchronous
 * loaders are <em>thread-safe</em>.
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
     * @return a stage that completes with the value, with {@code null} if the origin has none, or with an exception if the
     *     origin cannot answer. That exception itself is the cause of the {@link LoadException}, without a {@link
     *     java.util.concurrent.CompletionException} around it. A {@code null} stage is a failure
     * @throws Exception if it cannot begin
     */
    CompletionStage<? extends @Nullable V> load(K key) throws Exception;

    /**
     * {@return the given adaptive loader} Lets the compiler accept a lambda with two parameters as an asynchronous loader.
     *
     * @param <K> the type of the keys
     * @param <V> the type of the values
     * @param loader the loader
     */
    static <K, V> AsyncLoader<K, V> adaptive(AdaptiveAsyncLoader<K, V> loader) {
        return loader;
    }
}
