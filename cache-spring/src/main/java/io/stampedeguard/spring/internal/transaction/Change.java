package io.stampedeguard.spring.internal.transaction;

import org.jspecify.annotations.Nullable;

/**
 * What a change of a cache changes.
 *
 * @param key the key as text; {@code null} for all keys, also if only those with a tag are changed: nobody knows which have it
 * @param removal removes the key, in place of a put of a value that may not be that of the database; {@code null} unless it is a put
 */
public record Change(@Nullable String key, @Nullable Runnable removal) {
    private static final Change OF_ALL = new Change(null, null);

    /** Returns a change that removes the value of a key, or makes it stale. */
    public static Change ofKey(String key) {
        return new Change(key, null);
    }

    /** Returns a change that stores a value. */
    public static Change put(String key, Runnable removal) {
        return new Change(key, removal);
    }

    /** Returns a change of all keys, or of those with a tag. */
    public static Change ofAll() {
        return OF_ALL;
    }
}
