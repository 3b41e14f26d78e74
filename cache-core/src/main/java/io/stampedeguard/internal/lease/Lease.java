package io.stampedeguard.internal.lease;

import io.stampedeguard.store.LeaseToken;

/**
 * The lease under which a load runs.
 *
 * @param token its token
 * @param failuresBefore how many loads of the key failed in a row before
 * @param askedNanos when the store was asked for it, by the monotonic clock: it is no older
 * @param certain whether the store has granted it; if not, the store's answer was lost, and it may have
 */
public record Lease(LeaseToken token, int failuresBefore, long askedNanos, boolean certain) {}
