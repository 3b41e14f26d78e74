package io.stampedeguard.internal.near;

import io.stampedeguard.internal.entry.Entry;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.report.EntryReport;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A copy of an entry. It is small, and a hit reads nothing else. <em>Thread-safe</em>: only one number is written after its
 * creation. Each of its values was true when it was written, and is compared with the current state.
 */
public final class Copy<V> {
    private final @Nullable V value;
    private final Lifetime lifetime;
    /** Until then, it is neither stale nor due. */
    private final long quietUntilNanos;

    private final Coherence coherence;
    private int checkedAt;

    /**
     * A ticket that is taken before the store is read, and kept with the copy. The number of changes of the key's stripe ({@code
     * stamp}) and of gaps up to then show {@code coherence} whether the key was changed since. {@code openedNanos} is of the
     * monotonic clock. <em>Immutable.</em>
     */
    public record Ticket(String storeKey, Coherence coherence, int stripe, int stamp, int gaps, long openedNanos) {
        /** For reads whose result is not kept. */
        public static final Ticket NONE = new Ticket("", Coherence.CLOSED, 0, 0, 0, 0);
    }

    /** Whether the store has taken a copy's entry. */
    public enum Taken {
        YES,
        /** It did not answer, and is asked as soon as it does. */
        UNASKED,
        /** Nobody asks it to take another entry of the key while the copy is fresh: it has just given no lease. */
        NO_LEASE,
        /** The same until the soft expiry: it gives leases, and takes no entry under them. */
        NO_ENTRY
    }

    /**
     * What a copy is wanted for. Any that is used is before its hard expiry, and without a known change. One was <em>known to be
     * current</em> when it was read, or up to when no change of it can be missing, though not after its soft expiry.
     */
    public enum Purpose {
        /** The store answers, but its entry is of no use here. Was read within the maximum staleness. */
        UNREADABLE_ENTRY,
        /**
         * The store has no entry, because it has not taken that of the copy. Was read within the limit for a disconnected process, or,
         * if changes may have been missed, within the maximum staleness.
         */
        UNTAKEN,
        /** The same, where there is no point in asking the store again now. */
        JUST_UNTAKEN,
        /**
         * The store has no entry, and may have lost it by a restart. Was known to be current within the maximum staleness, not counting
         * the time in which the store did not answer, and within the limit for a disconnected process, which counts it.
         */
        LOST,
        /**
         * The store does not answer. Was known to be current within the limit for a disconnected process, or, if it is from before a
         * gap that is over, within the maximum staleness: it would have been read again.
         */
        OUTAGE,
        /** Neither the store nor the origin answers. Was known to be current within the limit for a disconnected process. */
        LAST_RESORT,
        /**
         * The origin does not answer, and the store only with an entry that is of no use here. As {@link #LAST_RESORT}, but one of
         * which changes may have been missed in a gap was known to be current within the maximum staleness.
         */
        LAST_RESORT_BESIDE_ENTRY
    }

    /**
     * Everything about a copy except its value: the ticket from before the read, the token of the entry, when the entry should be
     * reloaded, until when it may be served, the end of its soft TTL, until when it may be served if neither store nor origin answers,
     * the length of key and value together, and whether the store has the entry. Times are of the monotonic clock, {@code
     * createdMillis} of the store's. <em>Immutable.</em>
     */
    public record Lifetime(
            Ticket ticket,
            LeaseToken token,
            long createdMillis,
            long refreshAtNanos,
            long freshUntilNanos,
            long softUntilNanos,
            long hardUntilNanos,
            int bytes,
            Taken taken) {
        private static final int HEAD_BYTES = 64;

        /**
         * Returns the lifetime of a copy of an entry, whose value has that many bytes, and which is fresh for the longest time given, at
         * most: expiries by the store's clock become times of the monotonic clock.
         */
        static Lifetime of(
                Entry entry,
                int valueBytes,
                CachePolicy policy,
                Ticket ticket,
                Taken taken,
                long longestNanos,
                long nowNanos,
                long nowMillis) {
            long left = nanosLeft(entry.softExpiryMillis(), nowMillis);
            return new Lifetime(
                    ticket,
                    entry.token(),
                    entry.createdMillis(),
                    nowNanos + nanosLeft(entry.dueAtMillis(policy), nowMillis),
                    nowNanos + Math.min(left, longestNanos),
                    nowNanos + left,
                    nowNanos + (policy.servesStale() ? nanosLeft(entry.hardExpiryMillis(), nowMillis) : left),
                    HEAD_BYTES + ticket.storeKey().length() + valueBytes,
                    taken);
        }

        private static long nanosLeft(long untilMillis, long nowMillis) {
            return TimeUnit.MILLISECONDS.toNanos(untilMillis - nowMillis);
        }

        /** Returns this lifetime with another time of service, after the store has given no lease. */
        Lifetime refusedUntil(long nanos) {
            Taken now = taken == Taken.UNASKED ? Taken.NO_LEASE : taken;
            return new Lifetime(
                    ticket, token, createdMillis, refreshAtNanos, nanos, softUntilNanos, hardUntilNanos, bytes, now);
        }
    }

    /** Creates a copy of a value, or of {@code null} for "the origin has none". */
    public Copy(@Nullable V value, Lifetime lifetime) {
        this.value = value;
        this.lifetime = lifetime;
        this.coherence = lifetime.ticket().coherence();
        long freshForLonger = lifetime.freshUntilNanos() - lifetime.refreshAtNanos();
        this.quietUntilNanos = freshForLonger > 0 ? lifetime.refreshAtNanos() : lifetime.freshUntilNanos();
    }

    /** Returns the value, or {@code null} for "the origin has none". */
    public @Nullable V value() {
        return value;
    }

    public String storeKey() {
        return lifetime.ticket().storeKey();
    }

    /** Returns whether the entry should be reloaded. */
    public boolean isDue(long nowNanos) {
        return nowNanos - quietUntilNanos >= 0 && nowNanos - lifetime.refreshAtNanos() >= 0;
    }

    /** Returns the end of its soft TTL, by the monotonic clock. */
    public long softUntilNanos() {
        return lifetime.softUntilNanos();
    }

    /** Returns whether more than half of the time between its soft and its hard TTL is over. */
    public boolean isPastHalfOfItsStaleness(long nowNanos) {
        return 2 * (nowNanos - lifetime.softUntilNanos()) >= lifetime.hardUntilNanos() - lifetime.softUntilNanos();
    }

    /** Returns when the entry was created, by the store's clock. */
    public long createdMillis() {
        return lifetime.createdMillis();
    }

    boolean isFresh(long nowNanos) {
        return nowNanos - quietUntilNanos < 0 || nowNanos - lifetime.freshUntilNanos() < 0;
    }

    /** Returns whether it answers a hit: fresh, and within the maximum staleness without a known change. */
    boolean isHit(long nowNanos) {
        return isFresh(nowNanos) && coherence.covers(this, nowNanos);
    }

    /** Returns whether it is before its hard expiry, and without a known change. */
    boolean mayStillBeServed(long nowNanos) {
        return nowNanos - lifetime.hardUntilNanos() < 0 && isUnchanged();
    }

    boolean isUnchanged() {
        return coherence.isUnchanged(lifetime.ticket());
    }

    public Lifetime lifetime() {
        return lifetime;
    }

    EntryReport report(long nowNanos, long nowMillis) {
        EntryReport.State fresh =
                coherence.covers(this, nowNanos) ? EntryReport.State.FRESH : EntryReport.State.OUTDATED;
        return EntryReport.ofCopy(
                isFresh(nowNanos) ? fresh : EntryReport.State.STALE,
                value == null,
                Duration.ofMillis(Math.max(0, nowMillis - lifetime.createdMillis())),
                Duration.ofNanos(Math.max(0, lifetime.freshUntilNanos() - nowNanos)));
    }

    /** Returns what decides whether it may still be served. */
    Coherence coherence() {
        return coherence;
    }

    /** Returns the version of {@link Coherence} at which the ticket was last found to be valid. */
    int checkedAt() {
        return checkedAt;
    }

    void checkedAt(int version) {
        checkedAt = version;
    }
}
