package io.stampedeguard;

import io.stampedeguard.loader.AsyncLoader;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.near.Copy;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The way of asynchronous callers: what the near cache has is answered on the spot, all else is an {@link AsyncGet}.
 * <em>Thread-safe.</em>
 */
final class AsyncReads<K, V> implements AutoCloseable {
    private final CacheParts<K, V> parts;
    private final ReadParts<K, V> readParts;
    private final Set<AsyncGet<K, V>> pending = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    AsyncReads(CacheParts<K, V> parts, ReadParts<K, V> readParts) {
        this.parts = parts;
        this.readParts = readParts;
    }

    CompletableFuture<@Nullable V> get(K key, AsyncLoader<? super K, ? extends V> loader) {
        Loader<K, V> waiting = new StageLoader<>(loader, parts.time());
        Copy<V> copy = readParts.nearReads().hit(key, waiting);
        return copy != null
                ? CompletableFuture.completedFuture(parts.copies().of(copy.value()))
                : begin(new AsyncGet<>(key, parts.keys().of(key), waiting, parts, readParts));
    }

    private CompletableFuture<@Nullable V> begin(AsyncGet<K, V> get) {
        pending.add(get);
        CompletableFuture<@Nullable V> future = get.begin(() -> pending.remove(get));
        if (closed) {
            get.fail(closedException());
        }
        return future;
    }

    /** Fails what is under way, then ends the threads. */
    @Override
    public void close() {
        closed = true;
        pending.forEach(get -> get.fail(closedException()));
        parts.asyncThreads().close();
    }

    private IllegalStateException closedException() {
        return new IllegalStateException("cache '" + parts.keys().cache() + "' was closed");
    }
}
