package io.stampedeguard;

import io.stampedeguard.store.LeaseToken;

/**
 * The lease under which a load runs.
 *
 * @param token its token
 * @param failuresBefore how many loads of the key failed in a row before
 * @param certain whether the store has granted it; if not, the store's answer was lost, and it may have
 */
record Lease(LeaseToken token, int failuresBefore, boolean certain) {}
