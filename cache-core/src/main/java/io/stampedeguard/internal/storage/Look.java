package io.stampedeguard.internal.storage;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.internal.near.Ticket;
import io.stampedeguard.store.LeaseToken;
import org.jspecify.annotations.Nullable;

/**
 * What a look into the store has shown of a key.
 *
 * @param key the key as the loader knows it
 * @param storeKey the key as the store knows it
 * @param ticket of the near cache, taken before the store was asked
 * @param stored what is there and may be served, if anything
 * @param seen the token of the entry that is there, of use or not, if there is one
 * @param keepsEntry whether the entry that is there is of use to others and must stay
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
    /** The look at a key that cannot exist. */
    static <K, V> Look<K, V> impossible(K key, String storeKey, AnswerSource refusal) {
        return new Look<>(key, storeKey, Ticket.NONE, Stored.impossible(refusal), null, false, true);
    }

    /** The look at a key of which the store could not be asked. */
    public static <K, V> Look<K, V> unanswered(K key, String storeKey, Ticket ticket) {
        return new Look<>(key, storeKey, ticket, null, null, false, false);
    }

    /** Returns whether a copy of this process comes before the loader: the store has nothing for this process, and gets nothing. */
    public boolean isAside() {
        return !storeAnswers || keepsEntry;
    }

    public boolean isFresh() {
        return stored != null && !stored.isStale();
    }
}
