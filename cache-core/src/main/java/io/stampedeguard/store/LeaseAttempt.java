package io.stampedeguard.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a store answers to one who asks for the lease of a key. */
public sealed interface LeaseAttempt {
    /**
     * The lease is the caller's: it alone in the fleet may load and publish, for as long as the lease lives.
     *
     * @param failuresBefore how many loads of the key failed in a row before this one, as far as is remembered
     */
    record Granted(int failuresBefore) implements LeaseAttempt {}

    /**
     * Somebody has published meanwhile; no lease was taken.
     *
     * @param stored the stored bytes, not yet looked into; not to be changed
     */
    record Found(byte[] stored) implements LeaseAttempt {}

    /**
     * Somebody else holds the lease.
     *
     * @param holder the token of the one who holds it; {@code null} if what holds it is no token
     * @param remaining how long the lease lives on if nobody renews it
     */
    record Held(@Nullable LeaseToken holder, Duration remaining) implements LeaseAttempt {}

    /**
     * A load has failed lately, and the key cools down; no lease was taken.
     *
     * @param failure what {@link SharedStore#fail} was told of the failure; not to be changed
     * @param remaining how long nobody is granted the lease
     */
    record Failed(byte[] failure, Duration remaining) implements LeaseAttempt {}

    /**
     * The last load of the key brought a result that is not stored, and the next may as well: whoever needs the value loads it
     * for itself, without a lease, instead of waiting for others ("hit-for-miss"); no lease was taken.
     *
     * @param remaining how long this holds
     */
    record NotCacheable(Duration remaining) implements LeaseAttempt {}
}
