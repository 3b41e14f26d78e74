package io.stampedeguard.internal.read;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.internal.lease.LoadResult;
import io.stampedeguard.internal.near.Copy;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
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
    private final SharedStore store;
    private final TimeSource time;
    private final CacheEvents events;

    public StaleFallback(CacheContext context, SharedStore store, NearTier<K, V> near) {
        this.near = near;
        this.store = store;
        this.time = context.time();
        this.events = context.events();
    }

    /** Finds a copy that was taken a moment ago: it comes before the loader. */
    @Nullable
    LoadResult<V> recent(Look<K, V> look) {
        return look.needsFallback() ? served(near.recent(look.key())) : null;
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
        long staleFor = time.monotonicNanos() - copy.softUntilNanos();
        if (staleFor >= 0) {
            events.stale(store.currentTimeMillis() - copy.createdMillis());
        }
        return new LoadResult.Value<>(copy.value(), AnswerSource.NEAR_DEGRADED);
    }
}
