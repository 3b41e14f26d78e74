package io.stampedeguard.internal.spi;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The store's answer to a request for the lease of a key. */
public sealed interface LeaseAttempt {
    /**
     * The lease is granted: only this caller in the whole fleet may load and publish, for as long as the lease lives.
     *
     * @param failuresBefore the number of loads of the key that failed in a row before this one, as far as it is still stored
     */
    record Granted(int failuresBefore) implements LeaseAttempt {}

    /**
     * Another process has published in the meantime; no lease was granted.
     *
     * @param stored the stored bytes, not yet decoded; not to be modified
     */
    record Found(byte[] stored) implements LeaseAttempt {}

    /**
     * Another attempt holds the lease.
     *
     * @param holder the holder's token; {@code null} if the stored holder is not a token
     * @param remaining how long the lease lives unless it is renewed
     */
    record Held(@Nullable LeaseToken holder, Duration remaining) implements LeaseAttempt {}

    /**
     * A load has recently failed, and the key cools down; no lease was granted.
     *
     * @param failure the failure that was given to {@link LeaseEnd.Fail}; not to be modified
     * @param remaining how long the lease is not granted
     * @param failures the number of loads that failed in a row
     */
    record Failed(byte[] failure, Duration remaining, int failures) implements LeaseAttempt {}

    /**
     * The result of the key's last load is not stored, and the next one may not be either: each caller loads for itself,
     * without a lease, instead of waiting for others ("hit-for-miss"). No lease was granted.
     *
     * @param remaining how long this state lasts
     */
    record NotCacheable(Duration remaining) implements LeaseAttempt {}

    /**
     * The answer to a request for a fence. No lease was granted.
     *
     * @param token what names the fence, the same for all who request it while it is there; {@code null} if there is none, because
     *     the lease is held, the key cools down, its results are not stored, or the entry that the caller has seen is gone
     */
    record Fence(@Nullable LeaseToken token) implements LeaseAttempt {}
}
