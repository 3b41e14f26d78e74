package io.stampedeguard.spring.internal.transaction;

import org.jspecify.annotations.Nullable;

/**
 * What a transaction has done with a cache, and what follows when it ends.
 *
 * @param key {@code null} for all keys
 * @param isChange whether reads of the key go around the cache from now on
 * @param clear removes all keys, in place of changes that are too many; {@code null} for no such limit
 * @param ifCommitted run after the commit; {@code null} for nothing, like the next two
 * @param ifRolledBack run after a rollback, also of a savepoint that was set before
 * @param ifUnknown run if nobody knows whether the transaction has committed
 */
record Step(
        CacheId cache,
        @Nullable String key,
        boolean isChange,
        @Nullable Runnable clear,
        @Nullable Runnable ifCommitted,
        @Nullable Runnable ifRolledBack,
        @Nullable Runnable ifUnknown) {

    /** A cache of one manager; those of others may have the same name. */
    record CacheId(Transactions manager, String name) {}

    /** How a transaction has ended. */
    enum Outcome {
        COMMITTED,
        ROLLED_BACK,
        UNKNOWN
    }

    /** Returns a change that waits for the commit. A removal is right in any case, a put only if its value was committed. */
    static Step deferred(CacheId cache, Change what, Runnable change) {
        return new Step(
                cache, what.key(), true, what.clear(), change, null, what.removal() == null ? change : what.removal());
    }

    /** Returns a change that is made at once. A removal follows the commit again: others may have loaded the old value meanwhile. */
    static Step immediate(CacheId cache, Change what, Runnable change) {
        Runnable removal = what.removal();
        return removal == null
                ? new Step(cache, what.key(), true, what.clear(), change, null, change)
                : new Step(cache, what.key(), true, what.clear(), null, removal, removal);
    }

    /** Returns a load whose value is stored, and may be one that is never committed. */
    static Step loaded(CacheId cache, String key, Runnable removal) {
        return new Step(cache, key, false, null, null, removal, removal);
    }

    /** Returns a clear in place of this change and all later ones of its cache; none of them leaves anything to a rollback. */
    Step asClear(Runnable all) {
        return new Step(cache, null, true, null, all, null, all);
    }

    @Nullable
    Runnable after(Outcome outcome) {
        return switch (outcome) {
            case COMMITTED -> ifCommitted;
            case ROLLED_BACK -> ifRolledBack;
            case UNKNOWN -> ifUnknown;
        };
    }
}
