package io.stampedeguard.internal.near;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import io.stampedeguard.internal.near.Copy.Lifetime;
import io.stampedeguard.internal.near.Copy.Taken;
import io.stampedeguard.internal.near.Copy.Ticket;
import io.stampedeguard.internal.spi.InvalidationEvents;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.report.EntryReport;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The copies of entries in this process, within bounds: values and, separately, "the origin has none", so that requests for
 * nonexistent keys evict no value. A hit is one lookup in Caffeine, two comparisons of times, and the check by {@link Coherence}:
 * it takes no lock and allocates nothing. <em>Thread-safe.</em>
 */
public final class NearCache<K, V> implements AutoCloseable {
    private static final int FEWEST_STRIPES = 1 << 10;
    private static final int FEWEST_STRIPES_OF_PART = 1 << 4;
    private static final int MOST_STRIPES = 1 << 20;
    private static final int STRIPES_FOR_EACH = 4;
    private static final int USUAL_BYTES = 128;

    /** Absent keys have room of their own, so that requests for them evict no value. */
    private static final int VALUES_FOR_EACH_NEGATIVE = 10;

    /** Connecting takes milliseconds; later, a load without a lease is not delayed for it. */
    private static final long LONGEST_CONNECTING_NANOS = Duration.ofSeconds(2).toNanos();

    private final ConcurrentMap<K, Copy<V>> values;
    private final ConcurrentMap<K, Copy<V>> negatives;
    /** Decides which copies may be served, for each part of the store. */
    private final Coherence[] coherence;

    private final TimeSource time;
    private final LongAdder evictions;
    private final long createdNanos;
    private final long stalenessNanos;
    private final @Nullable InvalidationEvents changes;
    private final AtomicReference<@Nullable Watch> watch = new AtomicReference<>();

    /** Creates an empty near cache; if {@code changes} is {@code null}, it serves copies no longer than the maximum staleness. */
    public NearCache(NearCacheOptions options, @Nullable InvalidationEvents changes, String cache, TimeSource time) {
        this(options, changes, cache, time, new LongAdder());
    }

    private NearCache(
            NearCacheOptions options,
            @Nullable InvalidationEvents changes,
            String cache,
            TimeSource time,
            LongAdder evictions) {
        this(
                options,
                NearCache.<K, V>bounded(options.isInBytes(), options.maximum(), evictions),
                NearCache.<K, V>bounded(
                        options.isInBytes(), Math.max(1, options.maximum() / VALUES_FOR_EACH_NEGATIVE), evictions),
                changes,
                cache,
                time,
                evictions);
    }

    /** Creates a near cache over maps with their own bounds. */
    NearCache(
            NearCacheOptions options,
            ConcurrentMap<K, Copy<V>> values,
            ConcurrentMap<K, Copy<V>> negatives,
            @Nullable InvalidationEvents changes,
            String cache,
            TimeSource time,
            LongAdder evictions) {
        this.evictions = evictions;
        this.values = values;
        this.negatives = negatives;
        this.time = time;
        this.createdNanos = time.monotonicNanos();
        this.stalenessNanos = options.maxStaleness().toNanos();
        this.changes = changes;
        int parts = changes == null ? 1 : changes.parts();
        int stripes = Math.max(FEWEST_STRIPES_OF_PART, stripes(options) / Integer.highestOneBit(parts));
        long boundNanos = changes == null ? Long.MAX_VALUE / 4 : stalenessNanos;
        this.coherence = IntStream.range(0, parts)
                .mapToObj(part -> new Coherence(part, stripes, boundNanos, time))
                .toArray(Coherence[]::new);
        if (changes == null) {
            coherence[0].listening();
        } else {
            watch.set(changes.watchChanges(cache, List.of(coherence)));
        }
    }

    private Coherence coherence(String storeKey) {
        return coherence[changes == null ? 0 : changes.partOf(storeKey)];
    }

    private static <K, V> ConcurrentMap<K, Copy<V>> bounded(boolean inBytes, long maximum, LongAdder evictions) {
        Caffeine<K, Copy<V>> bounded = Caffeine.newBuilder()
                .evictionListener(
                        (@Nullable K key, @Nullable Copy<V> copy, RemovalCause cause) -> evictions.increment());
        Cache<K, Copy<V>> cache = inBytes
                ? bounded.maximumWeight(maximum)
                        .weigher((K key, Copy<V> copy) -> copy.lifetime().bytes())
                        .build()
                : bounded.maximumSize(maximum).build();
        return cache.asMap();
    }

    /** Returns the approximate number of copies, of values and of absent keys. */
    public int size() {
        return values.size() + negatives.size();
    }

    /** Returns the number of copies that were evicted because the cache was full. */
    public long evictions() {
        return evictions.sum();
    }

    /** Returns a power of two, large enough that copies rarely share a stripe. */
    private static int stripes(NearCacheOptions options) {
        long copies = options.isInBytes() ? options.maximum() / USUAL_BYTES : options.maximum();
        long wanted = Math.min(MOST_STRIPES, copies) * STRIPES_FOR_EACH;
        return Integer.highestOneBit((int) Math.min(MOST_STRIPES, Math.max(FEWEST_STRIPES, wanted)));
    }

    /** Begins a read of the store; returns the ticket for the copy of the value. */
    public Ticket open(String storeKey) {
        return coherence(storeKey).open(storeKey);
    }

    /**
     * Begins the load of a key whose value the store will not take, when changes are reported: none is missed then. Otherwise
     * identical to {@link #open}. Waits for that only just after this cache was created.
     */
    public Ticket openListening(String storeKey) {
        Coherence part = coherence(storeKey);
        part.awaitListening(createdNanos + LONGEST_CONNECTING_NANOS);
        return part.open(storeKey);
    }

    /** Adds a copy, unless there is a newer one. A copy whose key was changed since its ticket was taken is never served. */
    public void put(K key, Copy<V> copy) {
        if (isUnchanged(copy)) {
            Copy<V> bounded = changes != null ? copy : recentOnly(copy);
            if (copy.value() == null) {
                put(key, bounded, negatives, values);
            } else {
                put(key, bounded, values, negatives);
            }
        }
    }

    /** Adds a copy; of a value and a "none" the newer one stays. */
    private void put(K key, Copy<V> copy, ConcurrentMap<K, Copy<V>> into, ConcurrentMap<K, Copy<V>> others) {
        if (into.merge(key, copy, this::newer) == copy
                && others.computeIfPresent(key, (same, other) -> othersLeft(other, copy)) != null) {
            into.remove(key, copy);
        }
    }

    /** Returns what remains of a copy of the other kind. */
    private @Nullable Copy<V> othersLeft(Copy<V> other, Copy<V> kept) {
        return newer(other, kept) == kept ? null : other;
    }

    private Copy<V> recentOnly(Copy<V> copy) {
        Lifetime lifetime = copy.lifetime();
        long until = lifetime.ticket().openedNanos() + stalenessNanos;
        return until - lifetime.freshUntilNanos() >= 0 ? copy : new Copy<>(copy.value(), lifetime.freshUntil(until));
    }

    /** Notes that the store has answered the read for which a ticket was taken. */
    public void answered(Ticket ticket) {
        coherence[ticket.part()].answered();
    }

    /** Notes that the store has not answered the read for which a ticket was taken. */
    public void unanswered(Ticket ticket) {
        coherence[ticket.part()].unanswered();
    }

    /**
     * Returns whether a key has a copy of which changes may have been missed in a gap: also a stale entry, which the store has, then
     * replaces it, unless the copy is newer.
     */
    public boolean isFromGap(K key) {
        return isFromGap(values.get(key)) || isFromGap(negatives.get(key));
    }

    private boolean isFromGap(@Nullable Copy<V> copy) {
        return copy != null && coherence[copy.part()].isFromGap(copy.lifetime().ticket());
    }

    /**
     * Notes that a read has found no entry of a key, or a damaged one: a copy of which a removal may have been missed is forgotten,
     * unless it was read later.
     */
    public void absent(K key, Ticket read) {
        forgetIfDisproved(key, read, values);
        forgetIfDisproved(key, read, negatives);
    }

    private void forgetIfDisproved(K key, Ticket read, ConcurrentMap<K, Copy<V>> copies) {
        Copy<V> copy = copies.get(key);
        if (copy != null
                && coherence[copy.part()].isDisprovedByAbsence(copy.lifetime().ticket(), read)) {
            copies.remove(key, copy);
        }
    }

    /**
     * Returns the newer copy: concurrent reads may add theirs in the wrong order. One that is no longer served is not preferred to a
     * fresh one, and one that is known to be outdated to none.
     */
    private Copy<V> newer(Copy<V> present, Copy<V> other) {
        long now = time.monotonicNanos();
        return present.createdMillis() > other.createdMillis()
                        && (other.isFresh(now) ? isAnswered(present, now) : isUnchanged(present))
                ? present
                : other;
    }

    private boolean isUnchanged(Copy<V> copy) {
        return coherence[copy.part()].isUnchanged(copy.lifetime().ticket());
    }

    private boolean covers(Copy<V> copy, long nowNanos) {
        return coherence[copy.part()].covers(copy, nowNanos);
    }

    private boolean isAnswered(Copy<V> copy, long nowNanos) {
        return copy.isFresh(nowNanos) && covers(copy, nowNanos);
    }

    /** Returns the copy of a key: fresh, not known as outdated, within the maximum staleness; {@code null} if there is none. */
    public @Nullable Copy<V> get(K key, long nowNanos) {
        Copy<V> copy = values.get(key);
        return copy != null && isAnswered(copy, nowNanos) ? copy : negative(key, nowNanos);
    }

    private @Nullable Copy<V> negative(K key, long nowNanos) {
        Copy<V> copy = negatives.get(key);
        return copy != null && isAnswered(copy, nowNanos) ? copy : null;
    }

    /** Returns a copy although the store answers, because its entry is of no use here: one read within the maximum staleness. */
    public @Nullable Copy<V> justRead(K key) {
        Copy<V> copy = unchanged(key);
        return copy != null && time.monotonicNanos() - copy.lifetime().ticket().openedNanos() <= stalenessNanos
                ? copy
                : null;
    }

    /**
     * Returns a copy whose entry the store has not taken, although it answers reads: one before its hard expiry, and without a known
     * change, read within the limit, or, if changes may have been missed, within the maximum staleness; {@code null} if there is
     * none.
     */
    public @Nullable Copy<V> untaken(K key, long limitNanos) {
        Copy<V> copy = unchanged(key);
        if (copy == null || copy.lifetime().taken() == Taken.YES) {
            return null;
        }
        long now = time.monotonicNanos();
        long age = now - copy.lifetime().ticket().openedNanos();
        boolean isComplete = changes != null && covers(copy, now);
        return age <= (isComplete ? Math.max(stalenessNanos, limitNanos) : stalenessNanos) ? copy : null;
    }

    /** Notes that the store has again not taken the entry of a copy, which is fresh for that long, up to its soft expiry. */
    public void refresh(K key, Copy<V> copy, long nanos) {
        long until = time.monotonicNanos() + nanos;
        long softUntil = copy.softUntilNanos();
        Copy<V> fresh =
                new Copy<>(copy.value(), copy.lifetime().refusedUntil(softUntil - until < 0 ? softUntil : until));
        (copy.value() == null ? negatives : values).replace(key, copy, fresh);
    }

    /**
     * Returns a copy if the store does not answer: one that was known to be current within the maximum staleness, or within a
     * longer limit, before its hard expiry, and without a known change; {@code null} if there is none. The longer limit is not for
     * a copy from before a gap that is over: it would have been read again.
     */
    public @Nullable Copy<V> recent(K key, long limitNanos) {
        Copy<V> copy = unchanged(key);
        if (copy == null) {
            return null;
        }
        boolean isSuspect = coherence[copy.part()].isSuspect(copy.lifetime().ticket());
        return isWithin(isSuspect ? 0 : limitNanos, copy) ? copy : null;
    }

    /**
     * Returns a copy if the origin does not answer: as {@link #recent}, but one of which changes may have been missed in a gap has
     * a limit of its own; {@code null} if there is none.
     */
    public @Nullable Copy<V> lastResort(K key, long limitNanos, long limitFromGapNanos) {
        Copy<V> copy = unchanged(key);
        return copy != null && isWithin(isFromGap(copy) ? limitFromGapNanos : limitNanos, copy) ? copy : null;
    }

    /**
     * Returns a copy whose entry the store, which has none, may have lost by a restart: one before its hard expiry, without a known
     * change, known to be current within the maximum staleness, not counting the time in which the store did not answer, and within
     * the limit, which counts it; {@code null} if there is none.
     */
    public @Nullable Copy<V> lost(K key, long limitNanos) {
        Copy<V> copy = unchanged(key);
        return copy != null && coherence[copy.part()].mayBeLost(copy.lifetime().ticket()) && isWithin(limitNanos, copy)
                ? copy
                : null;
    }

    /** After its soft expiry nothing proves that a copy is current: that another process loads is not reported. */
    private boolean isWithin(long limitNanos, Copy<V> copy) {
        long proven = coherence[copy.part()].currentAt(copy.lifetime().ticket());
        long softUntil = copy.lifetime().softUntilNanos();
        long currentAt = proven - softUntil > 0 ? softUntil : proven;
        return time.monotonicNanos() - currentAt <= Math.max(stalenessNanos, limitNanos);
    }

    private @Nullable Copy<V> unchanged(K key) {
        Copy<V> copy = values.get(key);
        if (copy == null || !mayStillBeServed(copy)) {
            copy = negatives.get(key);
        }
        return copy != null && mayStillBeServed(copy) ? copy : null;
    }

    private boolean mayStillBeServed(Copy<V> copy) {
        return time.monotonicNanos() - copy.lifetime().hardUntilNanos() < 0 && isUnchanged(copy);
    }

    /** Returns a report on a key's copy, of a value or its absence, whether or not it would be served; {@code null} if none. */
    public @Nullable EntryReport report(K key, long nowMillis) {
        long now = time.monotonicNanos();
        Copy<V> copy = values.get(key);
        Copy<V> negative = negatives.get(key);
        Copy<V> answer = copy == null || (negative != null && !isAnswered(copy, now)) ? negative : copy;
        return answer == null ? null : report(answer, now, nowMillis);
    }

    private EntryReport report(Copy<V> copy, long now, long nowMillis) {
        Lifetime lifetime = copy.lifetime();
        EntryReport.State fresh = covers(copy, now) ? EntryReport.State.FRESH : EntryReport.State.OUTDATED;
        return EntryReport.ofCopy(
                copy.isFresh(now) ? fresh : EntryReport.State.STALE,
                copy.value() == null,
                Duration.ofMillis(Math.max(0, nowMillis - lifetime.createdMillis())),
                Duration.ofNanos(Math.max(0, lifetime.freshUntilNanos() - now)));
    }

    /** Outdates the copy of a key: what was read before this call is not served after it. */
    public void outdate(String storeKey) {
        coherence(storeKey).changed(storeKey);
    }

    /** Stops the watch of changes, and removes all copies. */
    @Override
    public void close() {
        Watch open = watch.getAndSet(null);
        if (open != null) {
            open.close();
        }
        for (Coherence part : coherence) {
            part.disconnected();
        }
        values.clear();
        negatives.clear();
    }
}
