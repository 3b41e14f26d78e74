package io.stampedeguard.filter;

import io.stampedeguard.loader.StoreException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * A filter of the keys that the origin may have, so that requests for nonexistent keys reach neither the store nor the origin.
 * "No" is certain, "maybe" is not.
 *
 * <p><strong>The contract.</strong> A filter contains what was added. Each key that is created at the origin must be added by
 * {@link #add} (or {@code StampedeGuardedCache.keyCreated}, which also removes what was cached for it), after the transaction
 * that created it was committed and before any caller is expected to find it. Keys that existed before come with a rebuild. A key
 * that was not added is absent for this cache until the next rebuild, although the origin has it. A key that was deleted at the
 * origin stays in the filter until then; a request for it costs as much as without a filter.
 *
 * <p>A filter that is not sure answers "maybe": protection may be reduced, but no key of the origin may become absent.
 * Implementations are <em>thread-safe</em>. Their methods may block for a round trip.
 *
 * @param <K> the type of the keys
 */
public interface KeyFilter<K> {
    /**
     * {@return whether the origin may have a key; false only if it was absent when the filter was built, and not added since}
     *
     * @param key the key
     * @throws StoreException if the filter could not answer; callers treat this as "maybe"
     */
    boolean mightContain(K key);

    /**
     * {@return those of many keys that the origin certainly does not have ({@link #mightContain} is false), in their order}
     *
     * @param keys the keys
     * @throws StoreException as {@link #mightContain} does
     */
    default List<K> definitelyAbsent(Collection<? extends K> keys) {
        List<K> absent = new ArrayList<>();
        for (K key : keys) {
            if (!mightContain(key)) {
                absent.add(key);
            }
        }
        return absent;
    }

    /**
     * Adds a key. Then {@link #mightContain} returns true for it in all processes that share the filter, even during a rebuild.
     *
     * @param key the key
     * @throws StoreException if the key may not have been added; then it may be declared absent
     */
    void add(K key);

    /**
     * Records that the origin was observed to have a key. This helps keys that were not added, but does not replace {@link
     * #add}: an implementation may skip it if the filter contains the key already, or if it would delay callers. Added keys are
     * not affected.
     *
     * @param key the key
     * @throws StoreException if that failed; the filter is as before
     */
    default void observed(K key) {
        add(key);
    }

    /** {@return the state of the filter, as this process knows it} Does not block. */
    FilterState state();
}
