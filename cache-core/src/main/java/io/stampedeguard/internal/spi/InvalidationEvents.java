package io.stampedeguard.internal.spi;

import io.stampedeguard.store.SharedStore;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * An optional ability of a {@link SharedStore}: it reports which entries were changed, so that processes can keep copies. A
 * {@link Change} is reported also for a key without an entry; publications need not be reported. A change is reported after it was
 * made: a read that begins after the report sees it.
 *
 * <p>Implementations are <em>thread-safe</em>, and pass the contract kit {@code InvalidationEventsContract}.
 */
public interface InvalidationEvents {
    /**
     * Starts watching the changes of all keys of a cache, whichever process makes them. Does not block and does not fail: if
     * the store cannot be reached, the listeners are not notified until it can be reached again.
     *
     * @param cache the cache's name, with which its keys begin, before a colon
     * @param listeners one for each part, in their order: while one part is disconnected, no change in others is missed; or a
     *     single one for all parts together. Called on threads of the store, one call after another
     */
    Watch watchChanges(String cache, List<? extends Listener> listeners);

    /** {@return the number of parts of the store that are watched independently of each other; 1 unless overridden} */
    default int parts() {
        return 1;
    }

    /** {@return the part that holds a key, always the same one: 0 or more, less than {@link #parts()}} Does not block. */
    default int partOf(String key) {
        return 0;
    }

    /** The listener of a process that keeps copies. Implementations are <em>thread-safe</em>, do not block and do not throw. */
    interface Listener {
        /**
         * Called when the watch is established, and again after an interruption: from now on every change is reported, while
         * earlier ones may have been missed. Counts as a proof that nothing is missing at this moment.
         */
        void listening();

        /**
         * Called about once per second: no change made between {@link #listening} and a certain moment is missing. If the calls
         * cease, messages may be lost.
         *
         * @param ageNanos supplies the age of that moment in nanoseconds. Read your own clock first: a pause in between then
         *     makes the moment appear earlier, never later
         */
        void completeUpTo(LongSupplier ageNanos);

        /** Called when an entry was changed. */
        void changed(String key);

        /** Called when any entry may have been changed: all were removed at once, or it is unknown which. */
        void changedAll();

        /** Called when the watch is interrupted: changes may be missed until {@link #listening} is called again. */
        void disconnected();
    }
}
