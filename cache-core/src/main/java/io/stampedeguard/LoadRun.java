package io.stampedeguard;

import io.stampedeguard.store.LeaseToken;
import org.jspecify.annotations.Nullable;

/**
 * One call of the loader, over.
 *
 * @param lease the token under which it ran, or {@code null} if it ran without a lease because the store did not answer
 * @param value what the loader returned
 * @param failure what the loader threw
 * @param nanos how long it ran
 */
record LoadRun<V>(
        @Nullable LeaseToken lease,
        @Nullable V value,
        @Nullable Throwable failure,
        long nanos) {}
