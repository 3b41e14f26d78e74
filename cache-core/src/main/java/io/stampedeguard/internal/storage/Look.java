package io.stampedeguard.internal.storage;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.internal.near.Ticket;
import io.stampedeguard.store.LeaseToken;
import org.jspecify.annotations.Nullable;

/**
 * The result of reading a key from the store.
 *
 * @param key the loader's key
 * @param storeKey the store's key
 * @param ticket of the near cache, taken before the store was asked
 * @param stored the entry, if there is one that may be served
 * @param seen the token of the entry, usable or not, if there is one
 * @param keepsEntry whether the entry is of use to other processes and must stay
 * @param storeAnswers whether the store has answered
 */
public record Look<K, V>(
        K key,
        String storeKey,
        Ticket ticket,
        @Nullable Stored<V> stored,
        @Nullable LeaseToken seen,
        boolean keepsEntry,
        boolean storeAnswers) {
    /** Returns the look at a key that cannot exist. */
    static <K, V> Look<K, V> impossible(K key, String storeKey, AnswerSource refusal) {
        return new Look<>(key, storeKey, Ticket.NONE, Stored.impossible(refusal), null, false, true);
    }

    /** Returns the look at a key for which the store could not be asked. */
    public static <K, V> Look<K, V> unanswered(K key, String storeKey, Ticket ticket) {
        return new Look<>(key, storeKey, ticket, null, null, false, false);
    }

    /**
     * Returns whether a copy of this process takes precedence over the loader: the store has no entry for this process, and
     * accepts none.
     */
    public boolean isAside() {
        return !storeAnswers || keepsEntry;
    }

    public boolean isFresh() {
        return stored != null && !stored.isStale();
    }
}
