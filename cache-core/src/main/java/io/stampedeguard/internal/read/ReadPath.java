package io.stampedeguard.internal.read;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.internal.call.LoadFunction;
import io.stampedeguard.internal.call.LoadFunction.AgeBound;
import io.stampedeguard.internal.call.LoadPermits;
import io.stampedeguard.internal.entry.Entry;
import io.stampedeguard.internal.entry.KeyFence;
import io.stampedeguard.internal.flight.SingleFlight;
import io.stampedeguard.internal.lease.LeaseClient;
import io.stampedeguard.internal.lease.LoadResult;
import io.stampedeguard.internal.load.BackgroundRefresh;
import io.stampedeguard.internal.near.Copy;
import io.stampedeguard.internal.near.Copy.Ticket;
import io.stampedeguard.internal.near.NearCache;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.spi.Fence;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.spi.Marks;
import io.stampedeguard.internal.storage.KeyAdmission;
import io.stampedeguard.internal.storage.KeyAdmission.NamedKey;
import io.stampedeguard.internal.storage.StoreReads;
import io.stampedeguard.internal.storage.StoreReads.Lookup;
import io.stampedeguard.internal.storage.StoreReads.Stored;
import io.stampedeguard.internal.thread.Deadline;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.loader.LookupResult;
import io.stampedeguard.loader.WaitInterruptedException;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The path of one {@code get} or {@code getAll}:
 * <ol>
 *   <li>Read the near cache, if there is one: a hit for one key takes no lock and allocates nothing.
 *   <li>Read the store: one plain read, no more on a hit. If recent reads mostly missed, the request for the lease is the read; a
 *       caller who comes when another one has just found nothing, and loads, waits for its flight instead.
 *   <li><em>Fresh</em>: return it. <em>Stale</em>: return it at once. In either case, as with a copy of the near cache, request a
 *       reload in the background if it is due.
 *   <li>Pass the remaining keys to the {@link MissResolver}.
 * </ol>
 *
 * <p>While the store does not answer, a copy in this process takes precedence over the loader until its hard TTL, or within {@code
 * maxStalenessWhenDisconnected}; one from before a gap that is over, over a load without a lease, or an exception. If the store may
 * have lost its data, a copy answers for {@code maxStaleness} while one load runs in the background. <em>Thread-safe.</em>
 */
public final class ReadPath<K, V> {
    private static final long JUST_NOW_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final KeyAdmission<K> admission;
    private final @Nullable NearCache<K, V> near;
    private final LeaseClient<K, V> leaseClient;
    private final Marks marks;
    private final StoreReads<K, V> reads;
    private final BackgroundRefresh<K, V> refresh;
    private final StaleFallback<K, V> staleFallback;
    private final MissResolver<K, V> misses;
    private final SingleFlight<LoadResult<V>> flights;
    private final LoadPermits permits;
    private final Duration waitTimeout;
    private final TimeSource time;
    private final CacheEvents events;

    public ReadPath(
            CacheContext context,
            KeyAdmission<K> admission,
            NearCache<K, V> near,
            LeaseClient<K, V> leaseClient,
            Marks marks,
            StoreReads<K, V> reads,
            BackgroundRefresh<K, V> refresh,
            StaleFallback<K, V> staleFallback,
            MissResolver<K, V> misses,
            SingleFlight<LoadResult<V>> flights,
            LoadPermits permits) {
        this.admission = admission;
        this.near = near.isForHits() ? near : null;
        this.leaseClient = leaseClient;
        this.marks = marks;
        this.reads = reads;
        this.refresh = refresh;
        this.staleFallback = staleFallback;
        this.misses = misses;
        this.flights = flights;
        this.permits = permits;
        this.waitTimeout = context.policy().waitTimeout();
        this.time = context.time();
        this.events = context.events();
    }

    /** Returns a value; {@code maxWait} is {@code null}, or how long the call waits if the policy's {@code waitTimeout} is longer. */
    public @Nullable V get(K key, Loader<? super K, ? extends V> loader, @Nullable Duration maxWait) {
        Copy<V> copy = nearHit(key, loader);
        if (copy != null) {
            return reads.copy(copy.value());
        }
        Duration wait = maxWait == null || maxWait.compareTo(waitTimeout) > 0 ? waitTimeout : maxWait;
        try {
            return getThroughStore(key, admission.storeKey(key), loader, wait);
        } catch (Error e) { // a loader's Error is rethrown unchanged
            events.answer(AnswerSource.FAILED);
            throw e;
        }
    }

    /** Returns the copy to serve; {@code null} if there is none, or no key. */
    @Nullable
    Copy<V> nearHit(K key, Loader<? super K, ? extends V> loader) {
        if (near == null || key == null) {
            return null;
        }
        long now = time.monotonicNanos();
        Copy<V> copy = near.get(key, now);
        if (copy != null) {
            events.answer(AnswerSource.NEAR);
            if (copy.isDue(now)) {
                refresh.offerCopy(key, copy.storeKey(), loader);
            }
        }
        return copy;
    }

    public Map<K, V> getAll(Collection<? extends K> asked, LoadFunction<K, V> loader) {
        MissResolver<K, V>.Batch batch = batch(asked, loader);
        resolve(nearHits(batch), batch);
        return batch.result();
    }

    /** Returns a value that is not older, past the near cache. */
    public @Nullable V getNotOlderThan(K key, Duration maxAge, Loader<? super K, ? extends V> loader) {
        AgeBound bound = AgeBound.fromNow(maxAge, time);
        MissResolver<K, V>.Batch batch = batch(Collections.singletonList(key), LoadFunction.bounded(loader, bound));
        resolve(batch.keys(), batch);
        return batch.only();
    }

    private void resolve(List<NamedKey<K>> unread, MissResolver<K, V>.Batch batch) {
        try {
            misses.resolveAll(misses.read(unread, batch), batch);
        } catch (Error e) { // a loader's Error is rethrown unchanged
            batch.fails();
            throw e;
        }
    }

    /**
     * Returns whether a caller may wait for the flight of a key without a read of its own, which would hardly find more: the flight's
     * leader has just found nothing and requested the lease.
     */
    private boolean mayFollowUnread(K key, String storeKey) {
        return flights.hasMissBegunWithin(storeKey, JUST_NOW_NANOS) && mayGoUnread(key);
    }

    /**
     * Returns whether nothing asks for a read: a leader would take a permit, the store is not known to be down, and there is nothing
     * that would answer in place of a store that does not.
     */
    private boolean mayGoUnread(K key) {
        return !permits.isInLoader() && !staleFallback.mayBeNeeded(key);
    }

    /** Begins a call of this thread for many keys; throws if a key is null or cannot be encoded. */
    MissResolver<K, V>.Batch batch(Collection<? extends K> asked, LoadFunction<K, V> loader) {
        MissResolver<K, V>.Batch batch = misses.new Batch(asked.size(), loader, Deadline.in(waitTimeout, time));
        for (K key : asked) {
            batch.add(key, admission.storeKey(key));
        }
        return batch;
    }

    /** Answers from the near cache; returns the keys without an answer. */
    List<NamedKey<K>> nearHits(MissResolver<K, V>.Batch batch) {
        if (near == null) {
            return batch.keys();
        }
        List<NamedKey<K>> open = new ArrayList<>();
        long now = time.monotonicNanos();
        for (NamedKey<K> each : batch.keys()) {
            Copy<V> copy = near.get(each.key(), now);
            if (copy == null) {
                open.add(each);
            } else {
                batch.copy(each, copy.value(), copy.isDue(now));
            }
        }
        return open;
    }

    /** Returns the cached value without loading one; {@code null} if there is none, or if the origin has none. */
    public @Nullable V getIfPresent(K key) {
        Copy<V> copy = nearCopy(key);
        return copy == null ? cached(key, admission.storeKey(key), false).value() : reads.copy(copy.value());
    }

    public LookupResult<V> lookup(K key) {
        LookupResult<V> copy = nearLookup(key);
        return copy == null ? cached(key, admission.storeKey(key), true) : copy;
    }

    /** Returns the copy of a key, with its entry as the fence; {@code null} if there is none, or no key. */
    @Nullable
    LookupResult<V> nearLookup(K key) {
        long stamp = Entry.stamp(marks);
        Copy<V> copy = nearCopy(key);
        return copy == null
                ? null
                : found(
                        copy.value(),
                        false,
                        new KeyFence(
                                copy.storeKey(), Entry.fence(copy.lifetime().token(), stamp)));
    }

    String storeKey(K key) {
        return admission.storeKey(key);
    }

    private @Nullable Copy<V> nearCopy(K key) {
        Copy<V> copy = near == null || key == null ? null : near.get(key, time.monotonicNanos());
        if (copy != null) {
            events.answer(AnswerSource.NEAR);
        }
        return copy;
    }

    /**
     * Returns what is cached for a key, without the near cache. The fence is the entry. If there is none of use, or it was expired by
     * hand, the store is asked for a fence before this returns: what the caller then reads at the origin is younger.
     */
    LookupResult<V> cached(K key, String storeKey, boolean isFenced) {
        Deadline deadline = Deadline.in(waitTimeout, time);
        long stamp = Entry.stamp(marks);
        Lookup<K, V> lookup;
        try {
            lookup = reads.lookUp(key, storeKey, waitTimeout);
        } catch (WaitTimeoutException e) { // no connection to the store
            lookup = Lookup.unanswered(key, storeKey, Ticket.NONE);
        }
        Fence fence = isFenced ? ownFence(lookup, stamp) : Fence.CLOSED;
        while (fence == null) {
            stamp = Entry.stamp(marks); // the read may have taught it
            LeaseAttempt answer = leaseClient.requestFence(lookup, deadline.remaining());
            if (answer instanceof LeaseAttempt.Found found && !deadline.isOver()) {
                lookup = reads.found(lookup, found.stored());
                fence = ownFence(lookup, stamp);
            } else {
                LeaseToken token = answer instanceof LeaseAttempt.Fence granted ? granted.token() : null;
                fence = new Fence(token, null, stamp);
            }
        }
        KeyFence given = new KeyFence(storeKey, fence);
        Stored<V> stored = lookup.stored();
        if (stored != null) {
            events.answer(stored.source(), stored.ageMillis());
            return found(stored.value(), stored.isStale(), given);
        }
        LoadResult<V> recent = lookup.needsFallback() ? staleFallback.recent(lookup, stale -> {}) : null; // no loader
        if (recent == null) {
            return new LookupResult<>(LookupResult.State.NOTHING, null, false, given);
        }
        events.answer(recent.source());
        return found(recent.get(storeKey), true, given);
    }

    private LookupResult<V> found(@Nullable V value, boolean isStale, KeyFence fence) {
        LookupResult.State state = value == null ? LookupResult.State.ABSENT : LookupResult.State.VALUE;
        return new LookupResult<>(state, reads.copy(value), isStale, fence);
    }

    /** Returns the fence that needs no request; {@code null} if there is none. */
    private static @Nullable Fence ownFence(Lookup<?, ?> lookup, long stamp) {
        Stored<?> stored = lookup.stored();
        boolean isImpossible =
                stored != null && (stored.source() == AnswerSource.INVALID || stored.source() == AnswerSource.FILTERED);
        if (isImpossible || !lookup.storeAnswers()) {
            return Fence.CLOSED;
        }
        return stored == null ? null : stored.entry().fence(stamp);
    }

    private @Nullable V getThroughStore(K key, String storeKey, Loader<? super K, ? extends V> loader, Duration wait) {
        long began = time.monotonicNanos();
        Lookup<K, V> lookup;
        try {
            boolean needsNoRead = mayFollowUnread(key, storeKey)
                    || (reads.mostlyMiss() && flights.followers(storeKey) < 0 && mayGoUnread(key));
            lookup = needsNoRead ? reads.unread(key, storeKey) : reads.lookUp(key, storeKey, wait);
        } catch (WaitTimeoutException | WaitInterruptedException e) {
            MissResolver<K, V>.Batch batch = batch(key, storeKey, loader, Deadline.after(began, wait, time));
            batch.failure(Lookup.unanswered(key, storeKey, Ticket.NONE), e);
            return batch.only();
        }
        Stored<V> stored = lookup.stored();
        if (stored != null) {
            if (stored.isDue()) {
                refresh.offerDue(List.of(lookup), List.of(), LoadFunction.ofEach(loader));
            }
            events.answer(stored.source(), stored.ageMillis());
            return reads.copy(stored.value());
        }
        MissResolver<K, V>.Batch batch = batch(key, storeKey, loader, Deadline.after(began, wait, time));
        misses.resolve(List.of(lookup), batch);
        return batch.only();
    }

    /** Otherwise identical to {@link #lookUpOnly}, but does not read a key if the call may wait for its flight instead. */
    List<Lookup<K, V>> lookUpUnlessFollowed(MissResolver<K, V>.Batch batch) {
        NamedKey<K> only = batch.keys().get(0);
        boolean needsNoRead =
                batch.loader.bound() == null && batch.loading.isEmpty() && mayFollowUnread(only.key(), only.storeKey());
        return needsNoRead ? List.of(reads.unread(only.key(), only.storeKey())) : lookUpOnly(batch);
    }

    /** Reads the only key of a call. Throws as {@link StoreReads#lookUp} does. */
    List<Lookup<K, V>> lookUpOnly(MissResolver<K, V>.Batch batch) {
        NamedKey<K> only = batch.keys().get(0);
        return List.of(
                reads.lookUp(only.key(), only.storeKey(), batch.deadline().remaining()));
    }

    /** Begins a call of this thread for one key. */
    private MissResolver<K, V>.Batch batch(
            K key, String storeKey, Loader<? super K, ? extends V> loader, Deadline deadline) {
        MissResolver<K, V>.Batch batch = misses.new Batch(1, LoadFunction.ofEach(loader), deadline);
        batch.add(key, storeKey);
        return batch;
    }

    /** Returns a value as one caller may have it. */
    @Nullable
    V forCaller(@Nullable V value) {
        return reads.copy(value);
    }
}
