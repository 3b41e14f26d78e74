package io.stampedeguard.internal.spi;

import org.jspecify.annotations.Nullable;

/**
 * What a {@link Change.Put} can be bound to: that the key was not changed since a look-up. <em>Immutable.</em>
 *
 * @param token the token with which the entry begins that was found; or the one that {@link LeaseAttempt.Fence} has named; {@code
 *     null} for a fence that no put passes
 * @param expiry the expiry that must not have been made to the entry; {@code null} if there was no entry of use
 * @param stamp the stamp of what the caller reads at the origin after the look-up: no put passes once all entries were changed
 *     since, as far as this process knows ({@link Marks})
 */
public record Fence(@Nullable LeaseToken token, Change.@Nullable Expire expiry, long stamp) {
    /** A fence that no put passes. */
    public static final Fence CLOSED = new Fence(null, null, 0);
}
