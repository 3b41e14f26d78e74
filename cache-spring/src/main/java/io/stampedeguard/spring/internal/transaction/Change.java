package io.stampedeguard.spring.internal.transaction;

import org.jspecify.annotations.Nullable;

/**
 * What a change of a cache changes.
 *
 * @param key the key as text; {@code null} for all keys, also if only those with a tag are changed: nobody knows which have it
 * @param removal removes the key, in place of a put of a value that may not be that of the database; {@code null} unless it is a put
 * @param clear removes all keys, in place of changes that are too many for one transaction; {@code null} for no such limit
 */
public record Change(
        @Nullable String key,
        @Nullable Runnable removal,
        @Nullable Runnable clear) {
    private static final Change OF_ALL = new Change(null, null, null);

    /** Returns a change that removes the value of a key, or makes it stale. */
    public static Change ofKey(String key) {
        return new Change(key, null, null);
    }

    /** Returns a change that stores a value. */
    public static Change put(String key, Runnable removal) {
        return new Change(key, removal, null);
    }

    /** Returns a removal in place of this put. */
    Change asRemoval() {
        return new Change(key, null, clear);
    }

    /** Returns this change, which a clear may replace. */
    public Change orClear(Runnable all) {
        return new Change(key, removal, all);
    }

    /** Returns a change of all keys, or of those with a tag. */
    public static Change ofAll() {
        return OF_ALL;
    }
}
