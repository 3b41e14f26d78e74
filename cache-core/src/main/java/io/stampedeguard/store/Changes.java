package io.stampedeguard.store;

import java.util.List;
import java.util.function.LongSupplier;

/**
 * What a {@link SharedStore} may be able to do besides: tell which entries somebody has changed, so that processes can
 * keep copies. A change is a {@link SharedStore#put put}, an {@link SharedStore#invalidate invalidate} or an {@link
 * SharedStore#expire expire}; a publication need not be told. A change is told after it was made: a read that begins after
 * it was told sees it.
 *
 * <p>Implementations are <em>thread-safe</em>, and pass the contract kit {@code ChangesContract}.
 */
public interface Changes {
    /**
     * Listens to the changes of all keys of a cache, through whatever process they are made. Does not block and does not
     * fail: if the store cannot be reached, the listener hears nothing until it can.
     *
     * @param cache the cache's name, with which its keys begin, before a colon
     * @param listener called on threads of the store's, one call after another
     * @return the watch, to be closed
     */
    Watch watchChanges(String cache, Listener listener);

    /**
     * Listens to the changes of all keys of a cache, each part of the store by itself: where one part cannot be heard, changes of the
     * others are not missed.
     *
     * @param cache the cache's name, with which its keys begin, before a colon
     * @param listeners one for each part, in their order; called on threads of the store's, one call after another
     * @return the watch over all parts, to be closed
     */
    default Watch watchParts(String cache, List<? extends Listener> listeners) {
        return watchChanges(cache, listeners.get(0));
    }

    /**
     * Returns into how many parts the store is divided that are heard independently of each other.
     *
     * @return 1 unless overridden
     */
    default int parts() {
        return 1;
    }

    /**
     * Returns the part in which a key is, always the same one. Does not block.
     *
     * @param key the key
     * @return 0 or more, less than {@link #parts()}
     */
    default int partOf(String key) {
        return 0;
    }

    /**
     * Returns whether this store can tell of changes as it is set up. If not, a watch hears nothing, ever.
     *
     * @return true unless overridden
     */
    default boolean tellsChanges() {
        return true;
    }

    /** A watch over one cache, until it is closed. Closing does not block; a last word may still arrive. */
    interface Watch extends AutoCloseable {
        @Override
        void close();
    }

    /** One who keeps copies. Implementations are <em>thread-safe</em>, do not block and do not throw. */
    interface Listener {
        /**
         * From now on every change is told; those before may have been missed. Called when the watch begins to hear, and
         * again when it was cut and has been mended. It counts as a word that nothing is missing at this moment.
         */
        void listening();

        /**
         * Of the changes since {@link #listening} none that was made before a certain moment is missing. Called about each
         * second; if it is not, messages may be lost.
         *
         * @param ageNanos tells how long ago that moment is, each time it is asked. Who compares it with a clock of its own
         *     looks at that clock first: held up in between, it takes the moment for an earlier one, and never for a later
         */
        void heardAllBefore(LongSupplier ageNanos);

        /**
         * An entry was changed.
         *
         * @param key the key
         */
        void changed(String key);

        /** Any entry may have been changed: all were removed at once, or nobody knows which. */
        void changedAll();

        /** From now on changes may be missed, until {@link #listening} is called again. */
        void deaf();
    }
}
