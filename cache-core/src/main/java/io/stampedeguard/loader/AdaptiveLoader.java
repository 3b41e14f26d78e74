package io.stampedeguard.loader;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.time.TimeSource;
import java.time.Duration;
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

    /**
     * {@return a new loader that passes keys on to a bulk loader together, which sets the TTLs of each value} Otherwise identical to
     * {@link Loader#gathering(BulkLoader, int, Duration)}. The bulk loader does not receive the values to be replaced, so it must not
     * return {@link LoadedValue#notModified()}: that fails all keys of the call.
     *
     * @param <K> the type of the keys; they need {@code equals} and {@code hashCode}
     * @param <V> the type of the values
     * @param loader reads the origin
     * @param maxKeys the maximum number of keys of one call, at least 1
     * @param maxDelay how long a key waits for others at most, more than zero, and at most one second
     * @throws IllegalArgumentException if {@code maxKeys} or {@code maxDelay} is out of range
     */
    static <K, V> AdaptiveLoader<K, V> gathering(BulkLoader<K, LoadedValue<V>> loader, int maxKeys, Duration maxDelay) {
        requireNonNull(loader, "loader");
        requireNonNull(maxDelay, "maxDelay");
        return new GatheringLoader<>(loader, maxKeys, maxDelay, TimeSource.system());
    }
}
