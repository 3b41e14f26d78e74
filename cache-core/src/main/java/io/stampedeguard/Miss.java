package io.stampedeguard;

import io.stampedeguard.store.LeaseToken;
import org.jspecify.annotations.Nullable;

/**
 * A {@code get} that found no fresh value, on its way to the loader.
 *
 * @param key the key as the loader knows it
 * @param storeKey the key as the store knows it
 * @param loader the loader
 * @param seen the token of the stored entry that is of no use, if there is one
 * @param storeAnswers whether the store has answered; if not, it is not asked again on this way
 */
record Miss<K, V>(
        K key,
        String storeKey,
        Loader<? super K, ? extends V> loader,
        @Nullable LeaseToken seen,
        boolean storeAnswers) {}
