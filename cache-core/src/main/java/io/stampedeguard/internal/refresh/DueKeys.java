package io.stampedeguard.internal.refresh;

import io.stampedeguard.internal.storage.StoreReads.Look;
import io.stampedeguard.internal.storage.StoreReads.Stored;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Chooses which of the keys that were read together are reloaded in the background: those that are due, and with them those that
 * were loaded together with one of these and have passed half of their life. They would be due soon, one after another, and one
 * query for all of them costs the origin less than one for each. Pure.
 */
public final class DueKeys {
    /** The entries of one load are made within a moment. */
    private static final long TOGETHER_MILLIS = 1_000;

    private DueKeys() {}

    /** Returns the looks whose keys are to be reloaded, in their order; none if none is due. */
    public static <K, V> List<Look<K, V>> among(List<Look<K, V>> looks) {
        NavigableSet<Long> due = new TreeSet<>();
        for (Look<K, V> look : looks) {
            Stored<V> stored = look.stored();
            if (stored != null && stored.isDue()) {
                due.add(stored.entry().createdMillis());
            }
        }
        return due.isEmpty()
                ? List.of()
                : looks.stream().filter(look -> isChosen(look.stored(), due)).toList();
    }

    /**
     * Returns whether a key is to be reloaded.
     *
     * @param due when the entries that are due were made
     */
    private static boolean isChosen(@Nullable Stored<?> stored, NavigableSet<Long> due) {
        if (stored == null || stored.isDue()) {
            return stored != null;
        }
        long created = stored.entry().createdMillis();
        Long next = due.ceiling(created - TOGETHER_MILLIS);
        return stored.isPastHalfOfItsLife() && next != null && wereMadeTogether(next, created);
    }

    /** Returns whether two entries were made by one load, as far as their times tell. */
    public static boolean wereMadeTogether(long createdMillis, long otherCreatedMillis) {
        return Math.abs(createdMillis - otherCreatedMillis) <= TOGETHER_MILLIS;
    }
}
