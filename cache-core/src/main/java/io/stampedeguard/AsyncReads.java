package io.stampedeguard;

import io.stampedeguard.near.Copy;
import io.stampedeguard.near.NearCache;
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
    private final @Nullable NearCache<K, V> nearCache;
    private final Set<AsyncGet<K, V>> pending = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    AsyncReads(CacheParts<K, V> parts, ReadParts<K, V> readParts) {
        this.parts = parts;
        this.readParts = readParts;
        this.nearCache = parts.near().cache();
    }

    CompletableFuture<@Nullable V> get(K key, AsyncLoader<? super K, ? extends V> loader) {
        if (nearCache != null && key != null) {
            long now = parts.time().monotonicNanos();
            Copy<V> copy = nearCache.get(key, now);
            if (copy != null) {
                parts.events().nearHit();
                if (now - copy.refreshAtNanos() >= 0) {
                    readParts.refresh().offerLook(key, copy.storeKey(), waitingFor(loader));
                }
                return CompletableFuture.completedFuture(copy.value());
            }
        }
        return begin(new AsyncGet<>(key, parts.keys().of(key), waitingFor(loader), parts, readParts));
    }

    private Loader<K, V> waitingFor(AsyncLoader<? super K, ? extends V> loader) {
        return new StageLoader<>(loader, parts.time());
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
