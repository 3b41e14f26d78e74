package io.stampedeguard.internal.lease;

import io.stampedeguard.internal.flight.Flight;
import io.stampedeguard.internal.storage.StoreReads.Look;
import io.stampedeguard.store.HeldLease;
import io.stampedeguard.store.LeaseRequest;
import io.stampedeguard.store.LeaseToken;
import org.jspecify.annotations.Nullable;

/**
 * A key that a leader is to load: what was seen of it, the next request for its lease, the lease, and the flight of those who
 * wait. For one thread at a time: the leader's, and after {@link #under} the one that runs the load.
 */
public final class KeyLoad<K, V> {
    private Look<K, V> look;
    private final Flight<LoadResult<V>> flight;
    private @Nullable LeaseToken seen;
    private boolean keepsEntry;
    private LeaseToken token = LeaseToken.next();
    private int unanswered;
    private boolean refused;
    private @Nullable Lease lease;

    private KeyLoad(Look<K, V> look, Flight<LoadResult<V>> flight, int unanswered) {
        this.look = look;
        this.flight = flight;
        this.seen = look.seen();
        this.keepsEntry = look.keepsEntry();
        this.unanswered = unanswered;
    }

    /**
     * The lease under which a key is loaded. It is no older than {@code askedNanos}, when the store was asked for it, by the
     * monotonic clock. If it is not {@code certain}, the answer was lost, and the store may have granted it.
     */
    public record Lease(LeaseToken token, int failuresBefore, long askedNanos, boolean certain) {
        /** Returns the lease as the store knows it. */
        public HeldLease of(String storeKey) {
            return new HeldLease(storeKey, token);
        }
    }

    /** Creates the load of a key for a caller that waits: one lost answer does not count, unless a read comes after it. */
    public static <K, V> KeyLoad<K, V> forCaller(Look<K, V> look, Flight<LoadResult<V>> flight) {
        return new KeyLoad<>(look, flight, look.storeAnswers() && look.isRead() ? 0 : 1);
    }

    /** Creates the load of a key that nobody waits for: one request without an answer is the last. */
    public static <K, V> KeyLoad<K, V> inBackground(Look<K, V> look, Flight<LoadResult<V>> flight) {
        return new KeyLoad<>(look, flight, 1);
    }

    public Look<K, V> look() {
        return look;
    }

    public Flight<LoadResult<V>> flight() {
        return flight;
    }

    public String storeKey() {
        return look.storeKey();
    }

    LeaseRequest request() {
        return new LeaseRequest(storeKey(), token, seen);
    }

    /** Returns the token of the last request. */
    LeaseToken token() {
        return token;
    }

    /** Notes an entry that is of no use here. */
    public void hasSeen(@Nullable LeaseToken other, boolean isForOthers) {
        seen = other;
        keepsEntry = isForOthers;
    }

    /** Notes whether the store has refused the last request for the lease, or not answered it. */
    void unanswered(boolean isRefused) {
        refused = isRefused;
    }

    /** Returns whether the store has refused the last request for the lease, although it answers. */
    public boolean isRefused() {
        return refused;
    }

    /** Replaces the look, by one with the ticket of a load whose value the store will not take. */
    public void look(Look<K, V> other) {
        look = other;
    }

    void answered() {
        unanswered = 0;
        refused = false;
    }

    /** Notes a request without an answer; returns how many in a row there were, a look included. */
    int countUnanswered() {
        return ++unanswered;
    }

    /**
     * Prepares another request after one that may still reach the store: under another token, since a lease that is granted so
     * late must not pass for the one that is granted next. Returns what may be held until it is given back.
     */
    HeldLease renewToken() {
        HeldLease left = new HeldLease(storeKey(), token);
        token = LeaseToken.next();
        return left;
    }

    /** Notes the lease under which it is loaded; {@code null} if the store does not answer, or its results are not stored. */
    public KeyLoad<K, V> under(@Nullable Lease granted) {
        lease = granted;
        return this;
    }

    public @Nullable Lease lease() {
        return lease;
    }

    /** Returns the lease that the store has granted for certain; {@code null} if there is none. */
    public @Nullable HeldLease certainLease() {
        return lease != null && lease.certain() ? lease.of(storeKey()) : null;
    }

    /** Returns whether the entry that is there is of use to others and must stay. */
    public boolean keepsEntry() {
        return keepsEntry;
    }
}
