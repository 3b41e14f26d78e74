package io.stampedeguard.internal.read;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.internal.call.LoadFunction;
import io.stampedeguard.internal.lease.LoadResult;
import io.stampedeguard.internal.load.Batch;
import io.stampedeguard.internal.load.StaleFallback;
import io.stampedeguard.internal.near.Copy;
import io.stampedeguard.internal.near.Copy.Ticket;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.refresh.BackgroundRefresh;
import io.stampedeguard.internal.storage.KeyAdmission;
import io.stampedeguard.internal.storage.KeyAdmission.NamedKey;
import io.stampedeguard.internal.storage.StoreReads;
import io.stampedeguard.internal.storage.StoreReads.Look;
import io.stampedeguard.internal.storage.StoreReads.Stored;
import io.stampedeguard.internal.thread.Deadline;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.loader.WaitInterruptedException;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The path of one {@code get} or {@code getAll}:
 *
 * <ol>
 *   <li>Read the near cache, if there is one.
 *   <li>Read the store: one plain read, no more on a hit.
 *   <li><em>Fresh</em>: return it. <em>Stale</em>: return it at once. In either case, request a reload in the background if it
 *       is due.
 *   <li>Pass the remaining keys to the {@link MissResolver}.
 * </ol>
 *
 * <p>While the store does not answer, a copy that the near cache read a moment ago takes precedence over the loader, and an
 * older one over an exception. <em>Thread-safe.</em>
 */
public final class ReadPath<K, V> {
    private final CacheContext context;
    private final KeyAdmission<K> admission;
    private final NearReads<K, V> nearReads;
    private final StoreReads<K, V> reads;
    private final BackgroundRefresh<K, V> refresh;
    private final StaleFallback<K, V> staleFallback;
    private final MissResolver<K, V> misses;
    private final Duration waitTimeout;
    private final TimeSource time;
    private final CacheEvents events;

    public ReadPath(
            CacheContext context,
            KeyAdmission<K> admission,
            NearReads<K, V> nearReads,
            StoreReads<K, V> reads,
            BackgroundRefresh<K, V> refresh,
            StaleFallback<K, V> staleFallback,
            MissResolver<K, V> misses) {
        this.context = context;
        this.admission = admission;
        this.nearReads = nearReads;
        this.reads = reads;
        this.refresh = refresh;
        this.staleFallback = staleFallback;
        this.misses = misses;
        this.waitTimeout = context.policy().waitTimeout();
        this.time = context.time();
        this.events = context.events();
    }

    public @Nullable V get(K key, Loader<? super K, ? extends V> loader) {
        Copy<V> copy = nearReads.hit(key, loader);
        return copy != null ? reads.copy(copy.value()) : getCounted(key, loader);
    }

    private @Nullable V getCounted(K key, Loader<? super K, ? extends V> loader) {
        try {
            return getThroughStore(key, admission.storeKey(key), loader);
        } catch (Error e) { // a loader's Error is rethrown unchanged
            events.answer(AnswerSource.FAILED);
            throw e;
        }
    }

    public Map<K, V> getAll(Collection<? extends K> asked, LoadFunction<K, V> loader) {
        Batch<K, V> batch = batch(asked);
        Deadline deadline = Deadline.in(waitTimeout, time);
        return resolve(readAll(batch, loader, deadline), batch, loader, deadline);
    }

    /** Begins a call for many keys; throws if a key is null or cannot be encoded. */
    Batch<K, V> batch(Collection<? extends K> asked) {
        return Batch.of(asked, admission, context, reads, staleFallback);
    }

    /** Answers from the near cache and the store; returns the looks at keys without an answer. */
    List<Look<K, V>> readAll(Batch<K, V> batch, LoadFunction<K, V> loader, Deadline deadline) {
        List<NamedKey<K>> due = new ArrayList<>();
        List<NamedKey<K>> open = nearReads.hits(batch, due);
        return misses.read(open, due, batch, loader, deadline);
    }

    /** Loads the remaining keys, or waits for other callers that load them. */
    Map<K, V> resolve(List<Look<K, V>> open, Batch<K, V> batch, LoadFunction<K, V> loader, Deadline deadline) {
        misses.resolve(open, batch, loader, deadline);
        return batch.result();
    }

    /** Returns the cached value without loading one; {@code null} if there is none, or if the origin has none. */
    public @Nullable V getIfPresent(K key) {
        Copy<V> copy = nearReads.peek(key);
        if (copy != null) {
            return reads.copy(copy.value());
        }
        String storeKey = admission.storeKey(key);
        Look<K, V> look;
        try {
            look = reads.look(key, storeKey, waitTimeout);
        } catch (WaitTimeoutException e) { // no connection to the store
            look = Look.unanswered(key, storeKey, Ticket.NONE);
        }
        Stored<V> stored = look.stored();
        if (stored != null) {
            return answered(stored);
        }
        LoadResult<V> recent = look.isAside() ? staleFallback.recent(key) : null;
        if (recent == null) {
            return null;
        }
        events.answer(recent.source());
        return reads.copy(recent.get(storeKey));
    }

    private @Nullable V getThroughStore(K key, String storeKey, Loader<? super K, ? extends V> loader) {
        long began = time.monotonicNanos();
        Look<K, V> look;
        try {
            look = reads.look(key, storeKey, waitTimeout);
        } catch (WaitTimeoutException | WaitInterruptedException e) {
            Batch<K, V> batch = Batch.ofOne(key, storeKey, context, reads, staleFallback);
            batch.failure(Look.unanswered(key, storeKey, Ticket.NONE), e);
            return batch.only();
        }
        Stored<V> stored = look.stored();
        if (stored == null) {
            return load(look, loader, Deadline.after(began, waitTimeout, time));
        }
        if (stored.isDue()) {
            refresh.offer(look, loader);
        }
        return answered(stored);
    }

    private @Nullable V answered(Stored<V> stored) {
        events.answer(stored.source(), stored.ageMillis());
        return reads.copy(stored.value());
    }

    private @Nullable V load(Look<K, V> look, Loader<? super K, ? extends V> loader, Deadline deadline) {
        Batch<K, V> batch = Batch.ofOne(look.key(), look.storeKey(), context, reads, staleFallback);
        misses.resolve(List.of(look), batch, LoadFunction.ofEach(loader), deadline);
        return batch.only();
    }
}
