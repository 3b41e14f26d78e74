package io.stampedeguard.internal.spi;

import io.stampedeguard.store.SharedStore;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the holder of a lease ends it; see {@link SharedStore#end}. Each end is made if and only if the token still holds the lease;
 * otherwise nothing is changed. That of a value of which a tag was changed since the lease was granted ({@link Change.OfAll}) only
 * ends the lease, and counts as not made. <em>Immutable</em>, except for the bytes, which are not to be modified.
 */
public sealed interface LeaseEnd {
    /**
     * Stores an entry. May be requested again if the answer was lost: an entry that begins with the token counts as stored.
     *
     * <p>If it says as of when its value was read, and a change of the key or of all entries may be as late, the lease ends, and the
     * end counts as not made. Only a store with {@link ChangeMemory} receives this, for caches whose changes it remembers.
     *
     * @param entry the bytes, beginning with the token
     * @param ttl how long the store keeps the entry, at least 1 ms
     * @param asOfMillis by this process's clock, in milliseconds since the epoch, which the store converts to its own clock, to the
     *     earliest time that it can have been; {@code null} if the value was read after the lease was granted
     * @param tags the tags of the entry
     */
    record Publish(byte[] entry, Duration ttl, @Nullable Long asOfMillis, List<String> tags) implements LeaseEnd {
        /**
         * Creates the end of a lease whose value was read after it was granted.
         *
         * @param entry the bytes, beginning with the token
         * @param ttl how long the store keeps the entry, at least 1 ms
         */
        public Publish(byte[] entry, Duration ttl) {
            this(entry, ttl, null, List.of());
        }
    }

    /**
     * Overwrites the head of the entry in place and sets its lifetime, if it still begins with the seen token. If the entry is
     * gone or is another one, only the lease ends, and the end counts as not made. May be requested again if the answer was lost,
     * like {@link Publish}.
     *
     * @param seen the token with which the entry begins
     * @param head the new first bytes, beginning with the lease's token; not longer than the entry
     * @param ttl how long the store keeps the entry from now on, at least 1 ms
     * @param tags the tags of the entry
     */
    record Extend(LeaseToken seen, byte[] head, Duration ttl, List<String> tags) implements LeaseEnd {}

    /**
     * Stores a failure. Until the cool-down is over, the lease is not granted, and requests for it are answered with the failure.
     *
     * @param failure the failure as bytes, for callers during the cool-down; a few hundred at most
     * @param inARow the number of loads that failed in a row, including this one
     * @param coolDown how long the lease is not granted, at least 1 ms
     * @param remembered how long the number of failures is stored after that
     */
    record Fail(byte[] failure, int inARow, Duration coolDown, Duration remembered) implements LeaseEnd {}

    /**
     * Ends the lease of a load whose result is not stored. Waiting callers receive the result. Until the mark expires, the lease
     * is not granted: requests for it are answered with "not cacheable". Each {@link Change} removes the mark.
     *
     * @param entry the result as an entry, for callers that wait for it now; it begins with the lease's token. {@code null} if it
     *     cannot be passed to them
     * @param notCacheable how long callers do not wait for each other's loads of the key; zero if they do wait
     * @param removesEntry whether a stored entry of the key is removed
     * @param tags the tags of the result
     */
    record Pass(byte @Nullable [] entry, Duration notCacheable, boolean removesEntry, List<String> tags)
            implements LeaseEnd {}

    /** Stores nothing; a row of failures ends. */
    record Abandon() implements LeaseEnd {}
}
