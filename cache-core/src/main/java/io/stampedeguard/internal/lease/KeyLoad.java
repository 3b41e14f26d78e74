package io.stampedeguard.internal.lease;

import io.stampedeguard.internal.flight.Flight;
import io.stampedeguard.internal.storage.Look;
import io.stampedeguard.store.HeldLease;
import io.stampedeguard.store.LeaseRequest;
import io.stampedeguard.store.LeaseToken;
import org.jspecify.annotations.Nullable;

/**
 * A key whose flight somebody leads, on its way to the lease: what was seen of it, and the question that is asked next. For one
 * thread, the leader's.
 */
public final class KeyLoad<K, V> {
    private final Look<K, V> look;
    private final Flight<LoadResult<V>> flight;
    private @Nullable LeaseToken seen;
    private boolean keepsEntry;
    private LeaseToken token = LeaseToken.next();
    private int unanswered;

    private KeyLoad(Look<K, V> look, Flight<LoadResult<V>> flight, int unanswered) {
        this.look = look;
        this.flight = flight;
        this.seen = look.seen();
        this.keepsEntry = look.keepsEntry();
        this.unanswered = unanswered;
    }

    /** For a caller that waits for the value: one lost answer does not count. */
    public static <K, V> KeyLoad<K, V> forCaller(Look<K, V> look, Flight<LoadResult<V>> flight) {
        return new KeyLoad<>(look, flight, look.storeAnswers() ? 0 : 1);
    }

    /** For a reload that nobody waits for: it gives up at the first question without an answer. */
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

    /** The question to be asked next. */
    LeaseRequest request() {
        return new LeaseRequest(storeKey(), token, seen);
    }

    /** The token of the question asked last. */
    LeaseToken token() {
        return token;
    }

    /** Notes an entry that is of no use here. */
    public void hasSeen(@Nullable LeaseToken other, boolean isForOthers) {
        seen = other;
        keepsEntry = isForOthers;
    }

    void answered() {
        unanswered = 0;
    }

    /** Notes a question without an answer; returns how many in a row there were, a look included. */
    int countUnanswered() {
        return ++unanswered;
    }

    /**
     * Prepares to ask again after a question that may still reach the store: under another token, since a lease that is taken
     * so late must not pass for the one that is granted next.
     *
     * @return what may be held until it is given back
     */
    HeldLease renewToken() {
        HeldLease left = new HeldLease(storeKey(), token);
        token = LeaseToken.next();
        return left;
    }

    public Target<K, V> under(@Nullable Lease lease) {
        return new Target<>(look, lease, keepsEntry, flight);
    }
}
