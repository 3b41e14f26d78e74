package io.stampedeguard.filter;

import io.stampedeguard.store.StoreException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Knows which keys the origin may have, so that made-up ones reach neither the store nor the origin. "No" is certain, "maybe"
 * is not.
 *
 * <p><strong>The contract.</strong> A filter knows what it was told. Each key that comes into being at the origin must be
 * announced, by {@link #add} (or {@code StampedeGuardedCache.keyCreated}, which also clears what was cached of it), after the
 * transaction that made it was committed and before anybody is to find it. Keys that were there before come with a rebuild. A key
 * that nobody announced is absent for this cache, though the origin has it, until the next rebuild. A key that is gone at the
 * origin stays in the filter until then; that costs what it cost without a filter, no more.
 *
 * <p>A filter that is not sure answers "maybe": protection may shrink, but no key of the origin may vanish.
 *
 * <p>Implementations are <em>thread-safe</em>. Their methods may block for a round trip.
 *
 * @param <K> the type of the keys
 */
public interface KeyFilter<K> {
    /**
     * Returns whether the origin may have a key.
     *
     * @param key the key
     * @return false only if the key was not there when the filter was built, and has not been added since
     * @throws StoreException if the filter could not find out; callers take that for a "maybe"
     */
    boolean mightContain(K key);

    /**
     * Returns which of many keys the origin certainly does not have.
     *
     * @param keys the keys
     * @return those for which {@link #mightContain} says no, in their order
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
     * Adds a key: once this has returned, {@link #mightContain} is true of it for all that share the filter, whatever
     * rebuild is under way.
     *
     * @param key the key
     * @throws StoreException if the key may not have been added; then it may be taken for absent
     */
    void add(K key);

    /**
     * Notes that the origin was found to have a key. This is a courtesy to a key that nobody announced, and takes the place of
     * no announcement: unlike {@link #add} it need not be done where the filter has the key already, and may be left out
     * where it would hold callers up. What was added stays so in either case.
     *
     * @param key the key
     * @throws StoreException if that failed, which does no harm
     */
    default void observed(K key) {
        add(key);
    }

    /**
     * Returns how the filter is.
     *
     * @return its state as this process knows it; does not block
     */
    FilterState state();
}
