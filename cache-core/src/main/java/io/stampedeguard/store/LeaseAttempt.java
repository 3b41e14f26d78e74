package io.stampedeguard.store;

import java.time.Duration;

/** What a store answers to one who asks for the lease of a key. */
public sealed interface LeaseAttempt {
    /** The lease is the caller's: it alone in the fleet may load and publish, for as long as the lease lives. */
    record Granted() implements LeaseAttempt {}

    /**
     * Somebody has published meanwhile; no lease was taken.
     *
     * @param stored the stored bytes, not yet looked into; not to be changed
     */
    record Found(byte[] stored) implements LeaseAttempt {}

    /**
     * Somebody else holds the lease.
     *
     * @param holder who holds it, for messages
     * @param remaining how long the lease lives on if nobody renews it
     */
    record Held(String holder, Duration remaining) implements LeaseAttempt {}
}
