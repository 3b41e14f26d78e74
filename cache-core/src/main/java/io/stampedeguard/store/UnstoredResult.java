package io.stampedeguard.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a lease ends whose load brought a result that is not stored. <em>Immutable</em>, but for the bytes.
 *
 * @param entry the result as an entry, for those who wait for it now; it begins with the lease's token. {@code null} if it
 *     cannot be shown to them. Not to be changed
 * @param notCacheable for how long others need not wait for each other's loads of the key; zero if they are to
 * @param removesEntry whether an entry that is stored under the key is removed
 */
public record UnstoredResult(byte @Nullable [] entry, Duration notCacheable, boolean removesEntry) {}
