package io.stampedeguard.internal.near;

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

    private final int part;
    private int checkedAt;

    /**
     * A ticket that is taken before the store is read, and kept with the copy. The number of changes of the key's stripe ({@code
     * stamp}) and of gaps up to then show whether the key was changed since. {@code openedNanos} is of the monotonic clock.
     * <em>Immutable.</em>
     */
    public record Ticket(String storeKey, int part, int stripe, int stamp, int gaps, long openedNanos) {
        /** For reads whose result is not kept. */
        public static final Ticket NONE = new Ticket("", 0, 0, 0, 0, 0);
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
     * Everything about a copy except its value: the ticket from before the read, when the entry should be reloaded, until when it
     * may be served, the end of its soft TTL, until when it may be served if neither store nor origin answers, the length of entry and
     * key together, and whether the store has the entry. Times are of the monotonic clock, {@code
     * createdMillis} of the store's. <em>Immutable.</em>
     */
    public record Lifetime(
            Ticket ticket,
            long createdMillis,
            long refreshAtNanos,
            long freshUntilNanos,
            long softUntilNanos,
            long hardUntilNanos,
            int bytes,
            Taken taken) {
        /** Creates the lifetime of a copy whose entry the store has. */
        public Lifetime(
                Ticket ticket,
                long createdMillis,
                long refreshAtNanos,
                long freshUntilNanos,
                long softUntilNanos,
                long hardUntilNanos,
                int bytes) {
            this(
                    ticket,
                    createdMillis,
                    refreshAtNanos,
                    freshUntilNanos,
                    softUntilNanos,
                    hardUntilNanos,
                    bytes,
                    Taken.YES);
        }

        /** Returns this lifetime with another time of service. */
        Lifetime freshUntil(long nanos) {
            return freshUntil(nanos, taken);
        }

        /** Returns this lifetime with another time of service, after the store has given no lease. */
        Lifetime refusedUntil(long nanos) {
            return freshUntil(nanos, taken == Taken.UNASKED ? Taken.NO_LEASE : taken);
        }

        private Lifetime freshUntil(long nanos, Taken by) {
            return new Lifetime(
                    ticket, createdMillis, refreshAtNanos, nanos, softUntilNanos, hardUntilNanos, bytes, by);
        }
    }

    /** Creates a copy of a value, or of {@code null} for "the origin has none". */
    public Copy(@Nullable V value, Lifetime lifetime) {
        this.value = value;
        this.lifetime = lifetime;
        this.part = lifetime.ticket().part();
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

    public Lifetime lifetime() {
        return lifetime;
    }

    /** Returns the part of the store that holds the key. */
    int part() {
        return part;
    }

    /** Returns the version of {@link Coherence} at which the ticket was last found to be valid. */
    int checkedAt() {
        return checkedAt;
    }

    void checkedAt(int version) {
        checkedAt = version;
    }
}
