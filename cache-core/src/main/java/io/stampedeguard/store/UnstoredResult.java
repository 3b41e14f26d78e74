package io.stampedeguard.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a lease ends if the result of its load is not stored. <em>Immutable</em>, except for the bytes.
 *
 * @param entry the result as an entry, for callers that wait for it now; it begins with the lease's token. {@code null} if it
 *     cannot be passed to them. Not to be modified
 * @param notCacheable how long callers do not wait for each other's loads of the key; zero if they do wait
 * @param removesEntry whether a stored entry of the key is removed
 */
public record UnstoredResult(byte @Nullable [] entry, Duration notCacheable, boolean removesEntry) {}
