package io.stampedeguard.spring.internal.transaction;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a caller may do with keys of a cache, in its transaction if it has one. <em>Immutable.</em>
 *
 * @param mayLookUp false if the transaction has changed one of the keys, all keys, or those with a tag: the cache still has what was there
 *     before; then nothing is stored either, since nobody else may see it
 * @param mayStore whether what it loads is stored: not if that may be uncommitted, or older than a change that nobody can tell
 * @param snapshotBegin an instant, by the clock of this process, that is not later than the snapshot that the transaction reads;
 *     {@code null} if it reads what is committed when a statement begins, or if there is no transaction
 * @param maxWait how long it waits for another's load, while it holds what that load may need; {@code null} outside of a transaction
 */
public record Access(
        boolean mayLookUp,
        boolean mayStore,
        @Nullable Instant snapshotBegin,
        @Nullable Duration maxWait) {
    static final Access OUTSIDE = new Access(true, true, null, null);

    /** Returns whether the caller is in a transaction. */
    public boolean isInTransaction() {
        return maxWait != null;
    }
}
