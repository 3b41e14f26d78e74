package io.stampedeguard;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.near.Ticket;
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
 * @param storeAnswers whether the store has answered; if not, it is not asked again on this way
 */
record Look<K, V>(
        K key,
        String storeKey,
        Ticket ticket,
        @Nullable Stored<V> stored,
        @Nullable LeaseToken seen,
        boolean storeAnswers) {
    /** The look at a key that cannot exist. */
    static <K, V> Look<K, V> impossible(K key, String storeKey, AnswerSource refusal) {
        return new Look<>(key, storeKey, Ticket.NONE, Stored.impossible(refusal), null, true);
    }

    boolean isFresh() {
        return stored != null && !stored.isStale();
    }
}
