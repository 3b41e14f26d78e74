package io.stampedeguard.internal.near;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import io.stampedeguard.event.EventType;
import io.stampedeguard.internal.entry.Entry;
import io.stampedeguard.internal.near.Coherence.Limits;
import io.stampedeguard.internal.near.Copy.Lifetime;
import io.stampedeguard.internal.near.Copy.Purpose;
import io.stampedeguard.internal.near.Copy.Taken;
import io.stampedeguard.internal.near.Copy.Ticket;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.spi.InvalidationEvents;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.report.EntryReport;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The copies of entries in this process, within bounds: values and, separately, "the origin has none", so that requests for
 * nonexistent keys evict no value. A hit is one lookup in Caffeine, two comparisons of times, and the check by {@link Coherence}:
 * it takes no lock and allocates nothing.
 *
 * <p>Without options of its own, it answers only in an outage: it keeps values that the store does not have, and watches changes
 * from the first of them until all have expired. <em>Thread-safe.</em>
 */
public final class NearCache<K, V> implements AutoCloseable {
    private static final int USUAL_BYTES = 128;

    /** Absent keys have room of their own, so that requests for them evict no value. */
    private static final int VALUES_PER_NEGATIVE = 10;

    private static final long SLACK_NANOS = Duration.ofSeconds(1).toNanos();
    private static final NearCacheOptions IN_AN_OUTAGE =
            NearCacheOptions.builder().maximumBytes(16 << 20).build();

    private final boolean isForHits;
    private final NearCacheOptions options;
    private final ConcurrentMap<K, Copy<V>> values;
    private final ConcurrentMap<K, Copy<V>> negatives;
    private final LongAdder evictions = new LongAdder();
    private final CacheContext context;
    private final TimeSource time;
    private final LongSupplier storeMillis;
    private final ToIntFunction<Entry> valueBytes;
    private final @Nullable InvalidationEvents changes;
    private final Limits limits;
    /** For so long after the last read of an outage: the load that begins then may take so long before its value is kept. */
    private final long outageNanos;

    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Watch watch; // guarded by the lock
    private boolean isClosed; // guarded by the lock
    /** Decides which copies may be served, for each part of the store; {@code null} if no outage asks for copies. */
    private volatile Coherence @Nullable [] coherence;

    private volatile long outageUntilNanos;

    /** Creates an empty near cache, bounded by the lengths of values; without {@code options}, it answers only in an outage. */
    public NearCache(
            CacheContext context, @Nullable NearCacheOptions options, SharedStore store, ToIntFunction<Entry> bytes) {
        this(context, options, store.ability(InvalidationEvents.class), store::currentTimeMillis, bytes, null);
    }

    /**
     * Creates a near cache, over maps without bounds if they are given. If {@code changes} is {@code null}, a copy is served no
     * longer than the maximum staleness.
     */
    NearCache(
            CacheContext context,
            @Nullable NearCacheOptions options,
            @Nullable InvalidationEvents changes,
            LongSupplier storeMillis,
            ToIntFunction<Entry> valueBytes,
            @Nullable Supplier<ConcurrentMap<K, Copy<V>>> unbounded) {
        CachePolicy policy = context.policy();
        this.isForHits = options != null;
        this.options = options == null ? IN_AN_OUTAGE : options;
        this.values = unbounded == null ? bounded(1) : unbounded.get();
        this.negatives = unbounded == null ? bounded(VALUES_PER_NEGATIVE) : unbounded.get();
        this.context = context;
        this.time = context.time();
        this.storeMillis = storeMillis;
        this.valueBytes = valueBytes;
        this.changes = changes;
        boolean isLimited = policy.maxStalenessWhenDisconnected().compareTo(policy.hardTtl()) < 0;
        long disconnectedNanos = isLimited ? nanos(policy.maxStalenessWhenDisconnected()) : Long.MAX_VALUE / 4;
        this.limits = new Limits(
                this.options.maxStaleness().toNanos(), disconnectedNanos, changes == null ? 0 : disconnectedNanos);
        this.outageNanos = nanos(policy.hardTtl().plus(policy.waitTimeout()).plus(policy.loadTimeout()));
        if (isForHits) {
            watchChanges();
        }
    }

    private static long nanos(Duration length) {
        return length.compareTo(Duration.ofDays(3650)) > 0 ? Long.MAX_VALUE / 4 : length.toNanos();
    }

    private ConcurrentMap<K, Copy<V>> bounded(int divisor) {
        long maximum = Math.max(1, options.maximum() / divisor);
        Caffeine<K, Copy<V>> bounded = Caffeine.newBuilder()
                .evictionListener(
                        (@Nullable K key, @Nullable Copy<V> copy, RemovalCause cause) -> evictions.increment());
        Cache<K, Copy<V>> cache = options.isInBytes()
                ? bounded.maximumWeight(maximum)
                        .weigher((K key, Copy<V> copy) -> copy.lifetime().bytes())
                        .build()
                : bounded.maximumSize(maximum).build();
        return cache.asMap();
    }

    private Coherence[] watchChanges() {
        int parts = changes == null ? 1 : changes.parts();
        long copies = options.isInBytes() ? options.maximum() / USUAL_BYTES : options.maximum();
        int stripes = Coherence.stripes(copies, parts);
        long boundNanos = changes == null ? Long.MAX_VALUE / 4 : limits.stalenessNanos();
        AtomicInteger partsWithGap = new AtomicInteger();
        Runnable onGap = isForHits ? () -> context.events().report(EventType.NEAR_GAP) : () -> {};
        Coherence[] opened = IntStream.range(0, parts)
                .mapToObj(part -> new Coherence(stripes, boundNanos, time, partsWithGap, onGap))
                .toArray(Coherence[]::new);
        if (changes == null) {
            opened[0].listening();
        } else {
            watch = changes.watchChanges(context.name(), List.of(opened));
        }
        coherence = opened;
        return opened;
    }

    /** Returns whether it answers hits; otherwise only in an outage. */
    public boolean isForHits() {
        return isForHits;
    }

    /** Returns the approximate number of copies, of values and of absent keys. */
    public int size() {
        return values.size() + negatives.size();
    }

    /** Returns the number of copies that were evicted because the cache was full. */
    public long evictions() {
        return evictions.sum();
    }

    /** Returns the ticket for the copy of what is read from the store next. */
    public Ticket open(String storeKey) {
        Coherence[] parts = coherence;
        return parts == null ? Ticket.NONE : partOf(storeKey, parts).open(storeKey);
    }

    /**
     * Returns a ticket for a key whose value the store will not accept, or for which it does not answer. If it {@code refuses} the
     * value, but answers, this may wait briefly until it reports changes: none is missed then.
     */
    public Ticket openAside(String storeKey, boolean refuses) {
        Coherence[] parts = inAnOutage();
        if (parts == null) {
            return Ticket.NONE;
        }
        Coherence part = partOf(storeKey, parts);
        if (refuses) {
            part.awaitListening();
        }
        return part.open(storeKey);
    }

    private Coherence partOf(String storeKey, Coherence[] parts) {
        return parts[changes == null ? 0 : changes.partOf(storeKey)];
    }

    /** Takes no lock if changes are watched: during an outage this is on the path of each read. */
    private Coherence @Nullable [] inAnOutage() {
        Coherence[] parts = coherence;
        if (parts != null && (isForHits || outageUntilNanos - time.monotonicNanos() >= outageNanos)) {
            return parts;
        }
        lock.lock();
        try {
            outageUntilNanos = time.monotonicNanos() + outageNanos + SLACK_NANOS;
            Coherence[] opened = coherence;
            return opened == null && !isClosed ? watchChanges() : opened;
        } finally {
            lock.unlock();
        }
    }

    private void endOutage() {
        if (isOutageOver()) {
            end(false); // a ticket that was just taken is outdated: one more load
        }
    }

    private void end(boolean forGood) {
        Watch ended;
        lock.lock();
        try {
            if (!forGood && !isOutageOver()) {
                return;
            }
            isClosed |= forGood;
            ended = watch;
            watch = null;
            Coherence[] parts = coherence;
            if (parts != null) {
                for (Coherence part : parts) {
                    part.close();
                }
            }
            values.clear();
            negatives.clear();
            if (!isForHits) {
                coherence = null;
            }
        } finally {
            lock.unlock();
        }
        if (ended != null) {
            ended.close(); // may send
        }
    }

    private boolean isOutageOver() {
        return !isForHits && coherence != null && time.monotonicNanos() - outageUntilNanos > 0;
    }

    /**
     * Keeps a copy of the store's entry, if it is fresh, or replaces one of which changes may have been missed. If this answers only
     * in an outage, it forgets instead what was loaded for the key without the store, unless that was after a later ticket: the
     * store may have failed since its answer.
     */
    public void keep(K key, Ticket read, @Nullable V value, Entry entry) {
        if (isForHits) {
            keep(key, read, value, entry, Long.MAX_VALUE, Taken.YES);
            return;
        }
        if (coherence == null) {
            return;
        }
        endOutage();
        Copy<V> copy = find(key, Purpose.LAST_RESORT);
        if (copy != null
                && !read.equals(Ticket.NONE) // otherwise it was read before there was any copy
                && copy.lifetime().ticket().openedNanos() - read.openedNanos() <= 0) {
            outdate(copy.storeKey());
        }
    }

    /**
     * Keeps a value that is not in the store, because nobody asked it to take it ({@link Taken#YES}), or it did not. The copy is fresh
     * for a short time only, because there is no notification of an entry that others store; in the latter case it remains {@linkplain
     * Purpose#UNTAKEN in place of a load} until its soft expiry.
     */
    public void keepUnstored(K key, Ticket read, @Nullable V value, Entry entry, Taken taken) {
        keep(key, read, value, entry, limits.stalenessNanos(), taken);
    }

    /** Keeps a copy, unless its key was changed since its ticket was taken. */
    private void keep(K key, Ticket read, @Nullable V value, Entry entry, long longest, Taken taken) {
        if (!read.coherence().isUnchanged(read)) {
            return;
        }
        long nowNanos = time.monotonicNanos(); // first: copies then expire no later than in the store
        long nowMillis = Math.max(storeMillis.getAsLong(), entry.createdMillis()); // its clock may be known too late
        long unwatched = changes == null ? limits.stalenessNanos() - (nowNanos - read.openedNanos()) : Long.MAX_VALUE;
        long length = Math.min(longest, unwatched);
        int bytes = valueBytes.applyAsInt(entry);
        Lifetime lifetime = Lifetime.of(entry, bytes, context.policy(), read, taken, length, nowNanos, nowMillis);
        if (lifetime.softUntilNanos() - nowNanos > 0 || isFromGap(values.get(key)) || isFromGap(negatives.get(key))) {
            put(key, new Copy<>(value, lifetime));
        }
    }

    /** Adds a copy, unless there is a newer one. A copy whose key was changed since its ticket was taken is never served. */
    void put(K key, Copy<V> copy) {
        ConcurrentMap<K, Copy<V>> into = copy.value() == null ? negatives : values;
        ConcurrentMap<K, Copy<V>> others = copy.value() == null ? values : negatives;
        if (into.merge(key, copy, this::newer) == copy
                && others.computeIfPresent(key, (same, other) -> newer(other, copy) == copy ? null : other) != null) {
            into.remove(key, copy);
        }
    }

    /**
     * Returns the newer copy: concurrent reads may add theirs in the wrong order. One that is no longer served is not preferred to a
     * fresh one, and one that is known to be outdated to none.
     */
    private Copy<V> newer(Copy<V> present, Copy<V> other) {
        long now = time.monotonicNanos();
        return present.createdMillis() > other.createdMillis()
                        && (other.isFresh(now) ? present.isHit(now) : present.isUnchanged())
                ? present
                : other;
    }

    /** Notes that the store has answered the read for which a ticket was taken. */
    public void answered(Ticket ticket) {
        if (isForHits) {
            ticket.coherence().answered();
        }
    }

    /** Notes that the store has not answered the read for which a ticket was taken. */
    public void unanswered(Ticket ticket) {
        if (isForHits) {
            ticket.coherence().unanswered();
        }
    }

    /**
     * Notes that a read has found no entry of a key, or a damaged one: a copy of which a removal may have been missed is forgotten,
     * unless it was read later. Returns whether there is a copy that answers nevertheless: the store may have lost its entry, or has
     * just not taken it, so that there is no point in asking it again.
     */
    public boolean noteAbsent(K key, Ticket read) {
        if (coherence == null) {
            return false;
        }
        endOutage();
        forgetIfDisproved(key, read, values);
        forgetIfDisproved(key, read, negatives);
        return find(key, Purpose.JUST_UNTAKEN) != null || find(key, Purpose.LOST) != null;
    }

    private void forgetIfDisproved(K key, Ticket read, ConcurrentMap<K, Copy<V>> copies) {
        Copy<V> copy = copies.get(key);
        if (copy != null
                && copy.coherence().isDisprovedByAbsence(copy.lifetime().ticket(), read)) {
            copies.remove(key, copy);
        }
    }

    /** Returns the copy of a key: fresh, not known as outdated, within the maximum staleness; {@code null} if there is none. */
    public @Nullable Copy<V> get(K key, long nowNanos) {
        Copy<V> copy = values.get(key);
        return copy != null && copy.isHit(nowNanos) ? copy : negative(key, nowNanos);
    }

    private @Nullable Copy<V> negative(K key, long nowNanos) {
        Copy<V> copy = negatives.get(key);
        return copy != null && copy.isHit(nowNanos) ? copy : null;
    }

    /** Returns the copy of a key that may be used for a purpose; {@code null} if there is none. */
    public @Nullable Copy<V> find(K key, Purpose purpose) {
        if (coherence == null) {
            return null;
        }
        long now = time.monotonicNanos();
        Copy<V> copy = values.get(key);
        if (copy == null || !copy.mayStillBeServed(now)) {
            copy = negatives.get(key);
        }
        boolean isUsable =
                copy != null && copy.mayStillBeServed(now) && copy.coherence().isUsableFor(purpose, copy, now, limits);
        return isUsable ? copy : null;
    }

    /** Returns whether changes of a copy may have been missed in a gap: also a stale entry, which the store has, then replaces it. */
    private static boolean isFromGap(@Nullable Copy<?> copy) {
        return copy != null && copy.coherence().isFromGap(copy.lifetime().ticket());
    }

    /**
     * Makes a copy fresh again for a short time, though no longer than it may be served, if the store has again not taken its
     * entry.
     */
    public void freshAgain(K key, Copy<V> copy) {
        Lifetime lifetime = copy.lifetime();
        long now = time.monotonicNanos();
        if (lifetime.taken() == Taken.UNASKED || now - lifetime.freshUntilNanos() >= 0) {
            long age = now - lifetime.ticket().openedNanos();
            long staleness = limits.stalenessNanos();
            long left = Math.min(Math.max(staleness, limits.untakenNanos()) - age + 1, copy.softUntilNanos() - now);
            Copy<V> fresh = new Copy<>(copy.value(), lifetime.refusedUntil(now + Math.min(staleness, left)));
            (copy.value() == null ? negatives : values).replace(key, copy, fresh);
        }
    }

    /**
     * Returns a report on a key's copy, of a value or its absence, whether or not it would be served; {@code null} if there is none,
     * or if this answers only in an outage.
     */
    public @Nullable EntryReport report(K key) {
        long now = time.monotonicNanos();
        Copy<V> copy = values.get(key);
        Copy<V> negative = negatives.get(key);
        Copy<V> answer = copy == null || (negative != null && !copy.isHit(now)) ? negative : copy;
        return answer == null || !isForHits ? null : answer.report(now, storeMillis.getAsLong());
    }

    /** Outdates the copy of a key: what was read before this call is not served after it. */
    public void outdate(String storeKey) {
        Coherence[] parts = coherence;
        if (parts != null) {
            partOf(storeKey, parts).changed(storeKey);
        }
    }

    /** Outdates all copies. */
    public void outdateAll() {
        Coherence[] parts = coherence;
        if (parts != null) {
            for (Coherence part : parts) {
                part.changedAll();
            }
        }
    }

    /** Stops the watch of changes, and removes all copies. */
    @Override
    public void close() {
        end(true);
    }
}
