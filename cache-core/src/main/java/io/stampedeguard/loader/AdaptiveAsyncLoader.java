package io.stampedeguard.loader;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous loader that can set the TTLs of its value, and that receives the value to be replaced, as an {@link
 * AdaptiveLoader} does. Can be used wherever an {@link AsyncLoader} is accepted, see {@link AsyncLoader#adaptive}.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
@FunctionalInterface
public interface AdaptiveAsyncLoader<K, V> extends AsyncLoader<K, V> {
    /**
     * Begins to read the origin's answer for a key. Otherwise identical to {@link AsyncLoader#load}.
     *
     * @param key the key
     * @param previous the cached value, if this reloads an entry that may still be served, early or stale; otherwise {@code null}
     * @return a stage that completes with the origin's answer, not {@code null}, or with an exception
     * @throws Exception if it cannot begin
     */
    CompletionStage<LoadedValue<V>> load(K key, @Nullable PreviousValue<V> previous) throws Exception;

    @Override
    @SuppressWarnings("FunctionalInterfaceMethodChanged") // it is a loader without a previous value
    default CompletionStage<? extends @Nullable V> load(K key) throws Exception {
        return load(key, null).thenApply(LoadedValue::value);
    }
}
