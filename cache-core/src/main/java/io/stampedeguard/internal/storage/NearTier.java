package io.stampedeguard.internal.storage;

import io.stampedeguard.event.EventType;
import io.stampedeguard.internal.entry.EarlyRefresh;
import io.stampedeguard.internal.entry.Entry;
import io.stampedeguard.internal.near.Copy;
import io.stampedeguard.internal.near.Copy.Lifetime;
import io.stampedeguard.internal.near.Copy.Taken;
import io.stampedeguard.internal.near.Copy.Ticket;
import io.stampedeguard.internal.near.NearCache;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.spi.InvalidationEvents;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.internal.storage.KeyAdmission.NamedKey;
import io.stampedeguard.internal.storage.StoreReads.Look;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.report.EntryReport;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The near cache as the rest of the cache sees it; without one, nothing is kept and nothing found. Converts stored entries into
 * copies: expiries by the store's clock into times of the monotonic clock. <em>Thread-safe.</em>
 */
public final class NearTier<K, V> implements AutoCloseable {
    private static final int HEAD_BYTES = 64;
    private static final long SLACK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final NearCacheOptions EMERGENCY =
            NearCacheOptions.builder().maximumBytes(16 << 20).build();

    private final @Nullable NearCache<K, V> near;
    private final @Nullable InvalidationEvents changes;
    private final String cache;

    private final ReentrantLock emergencyLock = new ReentrantLock();
    /** Without a near cache: for values that the store does not have; there from the first of them until all have expired. */
    private volatile @Nullable NearCache<K, V> emergency;

    private volatile long emergencySinceNanos;
    private volatile long emergencyUntilNanos;

    /** For so long after the last read: the load that begins then may take so long before its value is kept. */
    private final long emergencyNanos;

    private final long stalenessNanos;
    private final long disconnectedNanos;
    private final long untakenNanos;
    private final CachePolicy policy;
    private final SharedStore store;
    private final TimeSource time;

    public NearTier(CacheContext context, @Nullable NearCacheOptions options, SharedStore store) {
        this.cache = context.name();
        this.time = context.time();
        this.policy = context.policy();
        this.changes = store.ability(InvalidationEvents.class);
        InvalidationEvents reported = changes == null ? null : new GapReport(changes, context.events());
        this.near = options == null ? null : new NearCache<>(options, reported, cache, time);
        this.stalenessNanos = nanos((options == null ? EMERGENCY : options).maxStaleness());
        boolean isLimited = policy.maxStalenessWhenDisconnected().compareTo(policy.hardTtl()) < 0;
        this.disconnectedNanos = nanos(isLimited ? policy.maxStalenessWhenDisconnected() : null);
        this.untakenNanos = changes == null ? 0 : disconnectedNanos;
        this.emergencyNanos = nanos(policy.hardTtl().plus(policy.waitTimeout()).plus(policy.loadTimeout()));
        this.store = store;
    }

    private static long nanos(@Nullable Duration length) {
        return length == null || length.compareTo(Duration.ofDays(3650)) > 0 ? Long.MAX_VALUE / 4 : length.toNanos();
    }

    /** Returns the near cache itself, for the path of a hit. */
    public @Nullable NearCache<K, V> cache() {
        return near;
    }

    Ticket open(String storeKey) {
        NearCache<K, V> fallbacks = fallbacks();
        return fallbacks == null ? Ticket.NONE : fallbacks.open(storeKey);
    }

    /** Returns the tickets in the order of the keys. */
    List<Ticket> openAll(List<? extends NamedKey<?>> keys) {
        NearCache<K, V> fallbacks = fallbacks();
        if (fallbacks == null) {
            return Collections.nCopies(keys.size(), Ticket.NONE);
        }
        List<Ticket> tickets = new ArrayList<>(keys.size());
        for (NamedKey<?> each : keys) {
            tickets.add(fallbacks.open(each.storeKey()));
        }
        return tickets;
    }

    /** Keeps a copy of the store's entry, if it is fresh, or replaces one of which changes may have been missed. */
    public void keep(Look<K, V> look, @Nullable V value, Entry entry) {
        if (near != null) {
            keep(near, look, value, entry, Long.MAX_VALUE, Taken.YES);
        } else {
            forget(look.key(), look.ticket());
        }
    }

    /**
     * Returns a ticket for a key whose value the store will not accept, or for which it does not answer. If it {@code refuses} the
     * value, but answers, this may wait briefly until it reports changes.
     */
    public Ticket openAside(String storeKey, boolean refuses) {
        NearCache<K, V> aside = near != null ? near : emergency();
        return refuses ? aside.openListening(storeKey) : aside.open(storeKey);
    }

    /** Takes no lock if there is one: during an outage this is on the path of each read without a near cache. */
    private NearCache<K, V> emergency() {
        NearCache<K, V> present = emergency;
        if (present == null || emergencyUntilNanos - time.monotonicNanos() < emergencyNanos) {
            return emergencyForLonger();
        }
        return present;
    }

    private NearCache<K, V> emergencyForLonger() {
        emergencyLock.lock();
        try {
            emergencyUntilNanos = time.monotonicNanos() + emergencyNanos + SLACK_NANOS;
            NearCache<K, V> present = emergency;
            if (present == null) {
                present = new NearCache<>(EMERGENCY, changes, cache, time);
                emergencySinceNanos = time.monotonicNanos();
                emergency = present;
            }
            return present;
        } finally {
            emergencyLock.unlock();
        }
    }

    /** Notes that the store has answered the read for which a ticket was taken. */
    void answered(Ticket ticket) {
        if (near != null) {
            near.answered(ticket);
        }
    }

    /** Notes that the store has not answered the read for which a ticket was taken. */
    void unanswered(Ticket ticket) {
        if (near != null) {
            near.unanswered(ticket);
        }
    }

    /**
     * Notes that the read for which a ticket was taken has found no entry of a key, or a damaged one; returns whether there is a copy
     * that answers nevertheless: the store may have lost its entry, or has just not taken it, so that there is no point in asking it
     * again.
     */
    boolean absent(K key, Ticket read) {
        NearCache<K, V> fallbacks = usedFallbacks();
        if (fallbacks == null) {
            return false;
        }
        fallbacks.absent(key, read);
        return justUntaken(fallbacks, key) != null || lost(key) != null;
    }

    /** Returns the fallbacks, unless they are an emergency cache that is over. */
    private @Nullable NearCache<K, V> usedFallbacks() {
        NearCache<K, V> last = emergency;
        if (last != null && time.monotonicNanos() - emergencyUntilNanos > 0) {
            endEmergency(last);
        }
        return fallbacks();
    }

    private void endEmergency(NearCache<K, V> last) {
        emergencyLock.lock();
        try {
            if (emergency != last || time.monotonicNanos() - emergencyUntilNanos <= 0) {
                return;
            }
            emergency = null; // a ticket that was just taken is lost with it: one more load
        } finally {
            emergencyLock.unlock();
        }
        last.close();
    }

    /**
     * Forgets what was loaded for a key without the store, which has an entry of it, or takes one now. What was loaded after a later
     * ticket stays: the store may have failed since its answer.
     */
    private void forget(K key, Ticket read) {
        NearCache<K, V> present = usedFallbacks();
        if (present != null && !read.equals(Ticket.NONE)) { // otherwise it was read before there was any copy
            Copy<V> copy = present.lastResort(key, disconnectedNanos, disconnectedNanos);
            if (copy != null && copy.lifetime().ticket().openedNanos() - read.openedNanos() <= 0) {
                present.outdate(copy.storeKey());
            }
        }
    }

    /** Returns where to look for values that the store does not have; {@code null} if there are none. */
    private @Nullable NearCache<K, V> fallbacks() {
        return near != null ? near : emergency;
    }

    /**
     * Keeps a value that is not in the store, because nobody asked it to take it ({@link Taken#YES}), or it did not. The copy is fresh
     * for a short time only, because there is no notification of an entry that others store; in the latter case it {@linkplain
     * #insteadOfLoad remains} until its soft expiry.
     */
    public void keepUnstored(Look<K, V> look, @Nullable V value, Entry entry, Taken taken) {
        NearCache<K, V> fallbacks = fallbacks();
        if (fallbacks != null && isOfFallbacks(look.ticket())) {
            keep(fallbacks, look, value, entry, stalenessNanos, taken);
        }
    }

    /** Returns whether changes since a ticket are known: not if it was taken without an emergency cache, or from one before. */
    private boolean isOfFallbacks(Ticket ticket) {
        return !ticket.equals(Ticket.NONE) && (near != null || ticket.openedNanos() - emergencySinceNanos >= 0);
    }

    private void keep(NearCache<K, V> to, Look<K, V> look, @Nullable V value, Entry entry, long longest, Taken taken) {
        long nowNanos = time.monotonicNanos(); // first: copies then expire no later than in the store
        long nowMillis = Math.max(
                store.currentTimeMillis(), entry.createdMillis()); // a clock that was set may be known too late
        long left = nanosLeft(entry.softExpiryMillis(), nowMillis);
        if (left > 0 || to.isFromGap(look.key())) {
            Lifetime lifetime = new Lifetime(
                    look.ticket(),
                    entry.createdMillis(),
                    nowNanos + nanosLeft(EarlyRefresh.dueAtMillis(entry, policy), nowMillis),
                    nowNanos + Math.min(left, longest),
                    nowNanos + left,
                    nowNanos + (policy.servesStale() ? nanosLeft(entry.hardExpiryMillis(), nowMillis) : left),
                    HEAD_BYTES + look.storeKey().length() + entry.payload().remaining(),
                    taken);
            to.put(look.key(), new Copy<>(value, lifetime));
        }
    }

    private static long nanosLeft(long untilMillis, long nowMillis) {
        return TimeUnit.MILLISECONDS.toNanos(untilMillis - nowMillis);
    }

    /** Returns a copy that comes before the loader: a recent one, or while the store does not answer, any that is allowed then. */
    public @Nullable Copy<V> recent(Look<K, V> look) {
        NearCache<K, V> fallbacks = fallbacks();
        if (fallbacks == null) {
            return null;
        }
        if (look.hasCopy()) {
            return freshAgain(fallbacks, look.key(), justUntaken(fallbacks, look.key()));
        }
        return look.storeAnswers() ? fallbacks.justRead(look.key()) : fallbacks.recent(look.key(), disconnectedNanos);
    }

    private @Nullable Copy<V> justUntaken(NearCache<K, V> fallbacks, K key) {
        Copy<V> copy = fallbacks.untaken(key, untakenNanos);
        if (copy == null || copy.lifetime().taken() == Taken.UNASKED) {
            return null;
        }
        Lifetime lifetime = copy.lifetime();
        long until = lifetime.taken() == Taken.NO_ENTRY ? lifetime.softUntilNanos() : lifetime.freshUntilNanos();
        return time.monotonicNanos() - until < 0 ? copy : null;
    }

    /**
     * Returns a copy that replaces a load without a lease: one before its soft expiry, also from before a gap, if the store has not
     * answered the read either; otherwise one whose entry it has not taken, which is fresh again for a short time.
     */
    public @Nullable Copy<V> insteadOfLoad(Look<K, V> look) {
        NearCache<K, V> fallbacks = fallbacks();
        if (fallbacks == null) {
            return null;
        }
        Copy<V> copy = look.storeAnswers() ? fallbacks.untaken(look.key(), untakenNanos) : lastResort(look);
        if (copy == null || time.monotonicNanos() - copy.softUntilNanos() >= 0) {
            return null;
        }
        return look.storeAnswers() ? freshAgain(fallbacks, look.key(), copy) : copy;
    }

    /** Makes a copy fresh again for a short time, though no longer than it may be served. */
    private @Nullable Copy<V> freshAgain(NearCache<K, V> fallbacks, K key, @Nullable Copy<V> copy) {
        long now = time.monotonicNanos();
        if (copy != null
                && (copy.lifetime().taken() == Taken.UNASKED
                        || now - copy.lifetime().freshUntilNanos() >= 0)) {
            long age = now - copy.lifetime().ticket().openedNanos();
            long left = Math.max(stalenessNanos, untakenNanos) - age + 1;
            fallbacks.refresh(key, copy, Math.min(stalenessNanos, left));
        }
        return copy;
    }

    /**
     * Returns a copy while the origin does not answer, and the store neither, or only with an entry that is of no use here. Then a
     * copy of which changes may have been missed in a gap must have been current within the maximum staleness. If the store has no
     * entry, only one that it has not taken.
     */
    public @Nullable Copy<V> lastResort(Look<K, V> look) {
        if (look.storeAnswers() && !look.keepsEntry()) {
            NearCache<K, V> fallbacks = fallbacks();
            return fallbacks == null ? null : fallbacks.untaken(look.key(), untakenNanos);
        }
        return lastResort(look.key(), look.storeAnswers() ? 0 : disconnectedNanos);
    }

    /** Returns whether there is a copy for the case that neither the store nor the origin answers. */
    public boolean hasLastResort(K key) {
        return lastResort(key, disconnectedNanos) != null;
    }

    private @Nullable Copy<V> lastResort(K key, long limitFromGapNanos) {
        NearCache<K, V> fallbacks = fallbacks();
        return fallbacks == null ? null : fallbacks.lastResort(key, disconnectedNanos, limitFromGapNanos);
    }

    /** Returns a copy of a key whose entry the store may have lost by a restart, and which answers meanwhile; {@code null} if none. */
    public @Nullable Copy<V> lost(Look<K, V> look) {
        return look.hasCopy() ? lost(look.key()) : null;
    }

    private @Nullable Copy<V> lost(K key) {
        return near == null ? null : near.lost(key, disconnectedNanos);
    }

    /** Returns a report on the copy of a key; {@code null} if there is none. */
    public @Nullable EntryReport report(K key) {
        return near == null ? null : near.report(key, store.currentTimeMillis());
    }

    public void outdate(String storeKey) {
        NearCache<K, V> fallbacks = fallbacks();
        if (fallbacks != null) {
            fallbacks.outdate(storeKey);
        }
    }

    @Override
    public void close() {
        NearCache<K, V> fallbacks = fallbacks();
        if (fallbacks != null) {
            fallbacks.close();
        }
    }

    /**
     * Changes of the store, whose gaps are reported to the listener: once from the moment at which some part is disconnected
     * until all are connected again. <em>Thread-safe.</em>
     */
    private record GapReport(InvalidationEvents changes, CacheEvents events) implements InvalidationEvents {
        @Override
        public Watch watchChanges(String cache, List<? extends Listener> listeners) {
            AtomicInteger gaps = new AtomicInteger();
            return changes.watchChanges(
                    cache,
                    listeners.stream()
                            .map(listener -> new GapListener(listener, gaps, events))
                            .toList());
        }

        @Override
        public int parts() {
            return changes.parts();
        }

        @Override
        public int partOf(String key) {
            return changes.partOf(key);
        }

        /** One thread at a time reports gaps. */
        private static final class GapListener implements Listener {
            private final Listener listener;
            private final AtomicInteger gaps;
            private final CacheEvents events;
            private volatile boolean listens;
            private volatile boolean isGap;

            /** Creates a listener that is not connected yet; {@code gaps} is the number of parts with a gap. */
            GapListener(Listener listener, AtomicInteger gaps, CacheEvents events) {
                this.listener = listener;
                this.gaps = gaps;
                this.events = events;
            }

            @Override
            public void listening() {
                listener.listening();
                listens = true;
                if (isGap) {
                    isGap = false;
                    gaps.decrementAndGet();
                }
            }

            @Override
            public void completeUpTo(LongSupplier ageNanos) {
                listener.completeUpTo(ageNanos);
            }

            @Override
            public void changed(String key) {
                listener.changed(key);
            }

            @Override
            public void changedAll() {
                listener.changedAll();
            }

            @Override
            public void disconnected() {
                listener.disconnected();
                if (listens) {
                    listens = false;
                    isGap = true;
                    if (gaps.getAndIncrement() == 0) {
                        events.report(EventType.NEAR_GAP);
                    }
                }
            }
        }
    }
}
