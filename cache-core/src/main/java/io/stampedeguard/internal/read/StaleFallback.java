package io.stampedeguard.internal.read;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.internal.lease.LoadResult;
import io.stampedeguard.internal.load.BackgroundRefresh;
import io.stampedeguard.internal.near.Copy;
import io.stampedeguard.internal.near.Copy.Purpose;
import io.stampedeguard.internal.near.NearCache;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.storage.ObservedStore;
import io.stampedeguard.internal.storage.StoreReads;
import io.stampedeguard.internal.storage.StoreReads.Lookup;
import io.stampedeguard.internal.storage.StoreReads.Stored;
import io.stampedeguard.loader.CacheException;
import io.stampedeguard.loader.RecursiveLoadException;
import io.stampedeguard.loader.WaitInterruptedException;
import io.stampedeguard.time.TimeSource;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Answers from this process while the store does not answer for a key, keeps an entry that this process cannot read, refuses to
 * take one, or may have lost it ({@link Lookup#needsFallback}): with the value of a queued {@code put}, else from the near cache.
 * <em>Thread-safe.</em>
 */
public final class StaleFallback<K, V> {
    private final NearCache<K, V> near;
    private final StoreReads<K, V> reads;
    private final BackgroundRefresh<K, V> refresh;
    private final ObservedStore store;
    private final TimeSource time;
    private final CacheEvents events;

    public StaleFallback(
            CacheContext context,
            ObservedStore store,
            StoreReads<K, V> reads,
            NearCache<K, V> near,
            BackgroundRefresh<K, V> refresh) {
        this.near = near;
        this.refresh = refresh;
        this.store = store;
        this.reads = reads;
        this.time = context.time();
        this.events = context.events();
    }

    /** Returns whether there may be something to fall back on, now or soon: the store is down, a change is queued, or there is a copy. */
    boolean mayBeNeeded(K key) {
        return store.isDown() || !store.pending().isEmpty() || near.find(key, Purpose.LAST_RESORT) != null;
    }

    /**
     * Finds, for a lookup that needs it, a fresh queued value, or a copy that comes before the loader: one whose entry the store may
     * have lost, or a recent one, and while the store is down also one from before a gap; {@code due} takes the lookup if the copy is
     * to be loaded in the background ({@link BackgroundRefresh#offerMissing}).
     */
    @Nullable
    LoadResult<V> recent(Lookup<K, V> lookup, Consumer<Lookup<K, V>> due) {
        Stored<V> queued = queued(lookup);
        if (queued != null && !queued.isStale()) {
            return served(queued);
        }
        Copy<V> lost = lookup.hasCopy() ? near.find(lookup.key(), Purpose.LOST) : null;
        if (lost != null) {
            if (refresh.isWanted(true, true)) {
                due.accept(lookup);
            }
            return served(lost);
        }
        Copy<V> copy = near.find(lookup.key(), beforeLoader(lookup));
        if (copy != null && lookup.hasCopy()) {
            near.freshAgain(lookup.key(), copy);
        }
        if (copy != null
                && !lookup.storeAnswers()
                && isStale(copy)
                && refresh.isWanted(true, copy.isPastHalfOfItsStaleness(time.monotonicNanos()))) {
            due.accept(lookup);
        }
        return served(copy);
    }

    private Purpose beforeLoader(Lookup<K, V> lookup) {
        if (lookup.storeAnswers()) {
            return lookup.hasCopy() ? Purpose.JUST_UNTAKEN : Purpose.UNREADABLE_ENTRY;
        }
        return store.isDown() ? Purpose.LAST_RESORT : Purpose.OUTAGE;
    }

    /**
     * Finds a copy that comes before a load without a lease: one before its soft expiry, also from before a gap, if the store has
     * not answered the read either; otherwise one whose entry it has not taken, which is fresh again for a short time.
     */
    @Nullable
    LoadResult<V> insteadOfLoad(Lookup<K, V> lookup) {
        Copy<V> copy = near.find(lookup.key(), lookup.storeAnswers() ? Purpose.UNTAKEN : Purpose.LAST_RESORT);
        if (copy == null || isStale(copy)) {
            return null;
        }
        if (lookup.storeAnswers()) {
            near.freshAgain(lookup.key(), copy);
        }
        return served(copy);
    }

    /**
     * Finds an older copy, or a stale queued value, in place of a failure; {@code null} if there is none, or if the failure is one
     * of the caller rather than of the store or the origin.
     */
    @Nullable
    LoadResult<V> insteadOf(CacheException failure, Lookup<K, V> lookup) {
        if (failure instanceof WaitInterruptedException || failure instanceof RecursiveLoadException) {
            return null;
        }
        LoadResult<V> copy = served(near.find(lookup.key(), lastResort(lookup))); // loaded since, if there is one
        Stored<V> queued = copy == null && lookup.needsFallback() ? queued(lookup) : null;
        return queued == null ? copy : served(queued);
    }

    private static Purpose lastResort(Lookup<?, ?> lookup) {
        if (!lookup.storeAnswers()) {
            return Purpose.LAST_RESORT;
        }
        return lookup.keepsEntry() ? Purpose.LAST_RESORT_BESIDE_ENTRY : Purpose.UNTAKEN;
    }

    private @Nullable Stored<V> queued(Lookup<K, V> lookup) {
        byte[] entry = store.pending().entryOf(lookup.storeKey());
        return entry == null ? null : reads.decodeQueued(lookup.storeKey(), entry);
    }

    private LoadResult<V> served(Stored<V> queued) {
        if (queued.isStale()) {
            events.stale(queued.ageMillis());
        }
        return new LoadResult.Value<>(queued.value(), AnswerSource.NEAR_DEGRADED);
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
