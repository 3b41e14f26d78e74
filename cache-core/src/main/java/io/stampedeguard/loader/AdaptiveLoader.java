package io.stampedeguard.loader;

import org.jspecify.annotations.Nullable;

/**
 * A loader that can set the TTLs of its value, and that receives the value to be replaced: it can ask the origin whether that
 * value has changed, and return {@link LoadedValue#notModified()}. Can be used wherever a {@link Loader} is accepted:
 * <pre>{@code
 * Page page = pages.get(url, Loader.adaptive((at, previous) -> {
 *     Response response = http.get(at, previous == null ? null : previous.loadedAt());
 *     return response.isNotModified() ? LoadedValue.notModified() : LoadedValue.of(response.page()).softTtl(response.maxAge());
 * }));
 * }</pre>
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
@FunctionalInterface
public interface AdaptiveLoader<K, V> extends Loader<K, V> {
    /**
     * {@return the origin's answer for a key} The meaning of each result is documented in {@link Loader}.
     *
     * @param key the key
     * @param previous the cached value, if this reloads an entry that may still be served, early or stale; otherwise {@code null}
     * @throws Exception if the origin cannot answer
     */
    LoadedValue<V> load(K key, @Nullable PreviousValue<V> previous) throws Exception;

    @Override
    @SuppressWarnings("FunctionalInterfaceMethodChanged") // it is a loader without a previous value
    default @Nullable V load(K key) throws Exception {
        return load(key, null).value();
    }
}
