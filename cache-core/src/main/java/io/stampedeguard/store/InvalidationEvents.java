package io.stampedeguard.store;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * An optional ability of a {@link SharedStore}: it reports which entries were changed, so that processes can keep copies. A
 * change is a {@link SharedStore#put put}, an {@link SharedStore#invalidate invalidate}, also of a key without an entry, or an
 * {@link SharedStore#expire expire}; publications need not be reported. A change is reported after it was made: a read that begins after the report sees it.
 *
 * <p>A store that may restart without its data can also let processes put back what they have copies of: {@link #restoreAll}.
 * Implementations are <em>thread-safe</em>, and pass the contract kit {@code InvalidationEventsContract}.
 */
public interface InvalidationEvents {
    /**
     * Starts watching the changes of all keys of a cache, whichever process makes them. Does not block and does not fail: if
     * the store cannot be reached, the listener is not notified until it can be reached again.
     *
     * @param cache the cache's name, with which its keys begin, before a colon
     * @param listener called on threads of the store, one call after another
     * @return the watch, to be closed
     */
    Watch watchChanges(String cache, Listener listener);

    /**
     * Starts a watch as {@link #watchChanges}, on each part by itself: while one is disconnected, no change in others is missed.
     *
     * @param cache the cache's name, with which its keys begin, before a colon
     * @param listeners one for each part, in their order; called on threads of the store, one call after another
     * @return the watch over all parts, to be closed
     */
    default Watch watchParts(String cache, List<? extends Listener> listeners) {
        return watchChanges(cache, listeners.get(0));
    }

    /** {@return the number of parts of the store that are watched independently of each other; 1 unless overridden} */
    default int parts() {
        return 1;
    }

    /**
     * {@return the part that holds a key, always the same one: 0 or more, less than {@link #parts()}} Does not block.
     *
     * @param key the key
     */
    default int partOf(String key) {
        return 0;
    }

    /** {@return whether this store, as configured, reports changes; true unless overridden} If not, a watch is never notified. */
    default boolean reportsChanges() {
        return true;
    }

    /** {@return whether this store reports its runs to listeners and restores entries; false unless overridden} */
    default boolean restoresEntries() {
        return false;
    }

    /**
     * Puts back entries that a restart of this store has lost. An entry is put back if and only if its token still holds the
     * lease, the key was not changed during the current run of the store, and that run began recently, is not the entry's run,
     * and had begun when the store {@linkplain LostEntry first answered again}. If the token holds the lease and the entry cannot
     * be put back, the lease ends nevertheless. May be called again if the answer was lost, like {@link SharedStore#publish}.
     * This is one atomic step per entry, in one round trip if possible.
     *
     * @param entries the entries, each key once
     * @return whether the token's entry is stored, for each key for which the store answered; by default for none
     * @throws StoreException if the store does not answer; some entries may still have been stored
     */
    default Map<String, Boolean> restoreAll(Collection<LostEntry> entries) {
        return Map.of();
    }

    /**
     * An entry that may be lost.
     *
     * @param entry the entry, with the lease that was granted because it is lost
     * @param run the run of the store that had the entry; see {@link Listener#listening(String)}
     * @param answeredMillis when the store first answered after the watch of that run had ended, by {@link
     *     SharedStore#currentTimeMillis its clock}, or a later time if that is not known; it was not a restart that ended the watch
     *     if the current run began after that, give or take some seconds
     */
    record LostEntry(NewEntry entry, String run, long answeredMillis) {}

    /** A watch over one cache, until it is closed. Closing does not block; a last event may still arrive. */
    interface Watch extends AutoCloseable {
        @Override
        void close();
    }

    /** The listener of a process that keeps copies. Implementations are <em>thread-safe</em>, do not block and do not throw. */
    interface Listener {
        /**
         * Called when the watch is established, and again after an interruption: from now on every change is reported, while
         * earlier ones may have been missed. Counts as a proof that nothing is missing at this moment.
         */
        void listening();

        /**
         * Called in place of {@link #listening()} if the store can tell its runs apart.
         *
         * @param run the run of the store from whose changes none will be missing; a store that has restarted has another one
         */
        default void listening(String run) {
            listening();
        }

        /**
         * Called about once per second: no change made between {@link #listening} and a certain moment is missing. If the calls
         * cease, messages may be lost.
         *
         * @param ageNanos supplies the age of that moment in nanoseconds. Read your own clock first: a pause in between then
         *     makes the moment appear earlier, never later
         */
        void completeUpTo(LongSupplier ageNanos);

        /**
         * Called when an entry was changed.
         *
         * @param key the key
         */
        void changed(String key);

        /** Called when any entry may have been changed: all were removed at once, or it is unknown which. */
        void changedAll();

        /** Called when the watch is interrupted: changes may be missed until {@link #listening} is called again. */
        void disconnected();

        /**
         * Called in place of {@link #disconnected} if the store itself has ended the watch, as one that stops does: no change that it
         * made and reported before is missing. It may still be running.
         */
        default void ended() {
            disconnected();
        }
    }
}
