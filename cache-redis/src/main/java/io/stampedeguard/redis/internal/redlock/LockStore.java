package io.stampedeguard.redis.internal.redlock;

import io.stampedeguard.store.HeldLease;
import io.stampedeguard.store.SharedStore;
import java.util.Collection;
import java.util.function.Consumer;

/**
 * The store of a lock server, on which a lease without an entry is a lock. <em>Thread-safe.</em>
 *
 * @param leases takes, renews and ends locks
 * @param where the address for messages, empty if unknown
 * @param withdraw gives a lock back without a notification
 * @param withdrawAll gives locks back without a notification
 */
public record LockStore(
        SharedStore leases, String where, Consumer<HeldLease> withdraw, Consumer<Collection<HeldLease>> withdrawAll) {}
