package io.stampedeguard.internal.read;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.internal.call.LoadFunction;
import io.stampedeguard.internal.lease.LoadResult;
import io.stampedeguard.internal.near.Copy;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.refresh.BackgroundRefresh;
import io.stampedeguard.internal.storage.NearTier;
import io.stampedeguard.internal.storage.StoreReads.Look;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.time.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * Answers from the near cache while the store does not answer for a key, or keeps an entry that this process cannot read ({@link
 * Look#needsFallback}). <em>Thread-safe.</em>
 */
public final class StaleFallback<K, V> {
    private final NearTier<K, V> near;
    private final BackgroundRefresh<K, V> refresh;
    private final SharedStore store;
    private final TimeSource time;
    private final CacheEvents events;

    public StaleFallback(
            CacheContext context, SharedStore store, NearTier<K, V> near, BackgroundRefresh<K, V> refresh) {
        this.near = near;
        this.refresh = refresh;
        this.store = store;
        this.time = context.time();
        this.events = context.events();
    }

    /** Finds a copy that comes before the loader, as {@link NearTier#recent} does; requests the reload of a stale one. */
    @Nullable
    LoadResult<V> recent(Look<K, V> look, LoadFunction<K, V> loader) {
        Copy<V> copy = look.needsFallback() ? near.recent(look) : null;
        if (copy != null && !look.storeAnswers() && isStale(copy)) {
            refresh.offer(look, loader);
        }
        return served(copy);
    }

    /** Otherwise identical to the other method, without a loader. */
    @Nullable
    LoadResult<V> recent(Look<K, V> look) {
        return look.needsFallback() ? served(near.recent(look)) : null;
    }

    /** Finds an older copy: it comes before an exception. */
    @Nullable
    LoadResult<V> lastResort(Look<K, V> look) {
        return look.needsFallback() ? served(near.lastResort(look.key())) : null;
    }

    /** Returns an old copy in place of a result that is not a value, if there is one; otherwise the result. */
    @Nullable
    LoadResult<V> insteadOf(@Nullable LoadResult<V> outcome, Look<K, V> look) {
        LoadResult<V> copy = outcome == null || outcome instanceof LoadResult.Value ? null : lastResort(look);
        return copy == null ? outcome : copy;
    }

    private @Nullable LoadResult<V> served(@Nullable Copy<V> copy) {
        if (copy == null) {
            return null;
        }
        if (isStale(copy)) {
            events.stale(store.currentTimeMillis() - copy.createdMillis());
        }
        return new LoadResult.Value<>(copy.value(), AnswerSource.NEAR_DEGRADED);
    }

    private boolean isStale(Copy<?> copy) {
        return time.monotonicNanos() - copy.softUntilNanos() >= 0;
    }
}
