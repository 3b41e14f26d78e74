package io.stampedeguard.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * All that a store has of a key. <em>Immutable</em>, but for the bytes, which are not to be changed.
 *
 * @param entry the stored bytes, or {@code null} if there are none
 * @param remaining for how long the store keeps them; {@code null} if there are none, if they have no end, or if it is not
 *     known
 * @param lease what stands in place of the lease
 */
public record StoredKey(byte @Nullable [] entry, @Nullable Duration remaining, LeaseState lease) {}
