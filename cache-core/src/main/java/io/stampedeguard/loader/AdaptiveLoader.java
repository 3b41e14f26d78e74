package io.stampedeguard.loader;

import org.jspecify.annotations.Nullable;

/**
 * A loader that may say for how long its value is to be kept, and that sees the value which it is to replace: it can ask the
 * origin whether that has changed, and answer {@link LoadedValue#notModified()}. Goes wherever a {@link Loader} goes:
 *
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
     * Reads the value of a key. What each way to end means is told by {@link Loader}.
     *
     * @param key the key
     * @param previous what the cache has, if this is a reload of an entry that may still be served, early or stale; else
     *     {@code null}
     * @return what the origin has
     * @throws Exception if the origin cannot tell
     */
    LoadedValue<V> load(K key, @Nullable PreviousValue<V> previous) throws Exception;

    @Override
    @SuppressWarnings("FunctionalInterfaceMethodChanged") // it is a loader without a previous value
    default @Nullable V load(K key) throws Exception {
        return load(key, null).value();
    }
}
