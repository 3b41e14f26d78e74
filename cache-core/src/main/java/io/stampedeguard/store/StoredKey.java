package io.stampedeguard.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Everything that a store contains for a key. <em>Immutable</em>, except for the bytes, which are not to be modified.
 *
 * @param entry the stored bytes, or {@code null} if there are none
 * @param remaining how long the store keeps them; {@code null} if there are none, if they do not expire, or if this is unknown
 * @param lease the state of the lease
 */
public record StoredKey(byte @Nullable [] entry, @Nullable Duration remaining, LeaseState lease) {}
