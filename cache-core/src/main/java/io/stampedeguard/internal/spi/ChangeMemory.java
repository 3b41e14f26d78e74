package io.stampedeguard.internal.spi;

import io.stampedeguard.store.SharedStore;
import java.time.Duration;

/**
 * An optional ability of a {@link SharedStore}: each {@link Change} leaves its time with the key for a while, apart from entry and
 * lease, so that a value which was read as of an earlier time is not stored ({@link LeaseEnd.Publish#asOfMillis}). Implementations are
 * <em>thread-safe</em>, and pass the contract kit {@code ChangeMemoryContract}.
 */
@FunctionalInterface
public interface ChangeMemory {
    /** For no cache are changes remembered for longer. */
    Duration LONGEST = Duration.ofHours(1);

    /**
     * From now on, each change that this process makes in a cache leaves its time. All processes need the same length: a value that
     * is older than this one's is not stored either, since the time of a later change may be forgotten. Sends nothing.
     *
     * @param length for how long the time is kept, at least 1 ms, at most {@link #LONGEST}
     */
    void remember(String cache, Duration length);
}
