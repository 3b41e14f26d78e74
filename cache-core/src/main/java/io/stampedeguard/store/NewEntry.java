package io.stampedeguard.store;

import java.time.Duration;

/**
 * One of many entries to publish; see {@link SharedStore#publish}.
 *
 * @param lease the lease under which it was loaded
 * @param entry the bytes, beginning with the lease's token; not to be modified afterwards
 * @param ttl how long the store keeps the entry, at least 1 ms
 */
public record NewEntry(HeldLease lease, byte[] entry, Duration ttl) {}
