package io.stampedeguard.internal.spi;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Everything that a store contains for a key. <em>Immutable</em>, except for the bytes, which are not to be modified.
 *
 * @param entry the stored bytes, or {@code null} if there are none
 * @param remaining how long the store keeps them; {@code null} if there are none, if they do not expire, or if this is unknown
 * @param lease how a request for the lease would be answered now if there were no entry; {@code null} if the store does not report
 *     it
 */
public record StoredKey(
        byte @Nullable [] entry,
        @Nullable Duration remaining,
        @Nullable LeaseAttempt lease) {}
