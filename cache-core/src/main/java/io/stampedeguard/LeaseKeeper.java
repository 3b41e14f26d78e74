package io.stampedeguard;

import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.LeaseOutcome;
import io.stampedeguard.store.HeldLease;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.store.StoreException;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Renews the leases under which this process loads:
 *
 * <ol>
 *   <li>while there are any, a timer ticks, six times in a lease's life;
 *   <li>each tick renews those that are a third of their life old, all in one call of the store: a load that is shorter
 *       costs nothing, and a call that fails is made up for by the next;
 *   <li>a lease that turns out to be lost is told to the listener and let go: the load runs on, and its value will be
 *       refused.
 * </ol>
 *
 * <p>This happens on a thread of its own: errands wait for stores that do not answer, and for listeners. A process that dies or stands still renews nothing: that is what a lease is for. <em>Thread-safe</em>; nothing here
 * blocks.
 */
final class LeaseKeeper {
    private static final int TICKS_PER_LIFE = 6;

    /** When each was last renewed, by the monotonic clock. */
    private final Map<HeldLease, Long> renewedAt = new ConcurrentHashMap<>();

    private final AtomicBoolean ticking = new AtomicBoolean();
    private final SharedStore store;
    private final Duration leaseTtl;
    private final TimeSource time;
    private final CacheEvents events;
    private final Errands errands;
    private final Errands renewals;

    LeaseKeeper(CacheParts<?, ?> parts, Errands errands) {
        this.store = parts.store();
        this.leaseTtl = parts.policy().leaseTtl();
        this.time = parts.time();
        this.events = parts.events();
        this.errands = errands;
        this.renewals = new Errands(parts.keys().cache(), "leases");
    }

    /** Renews a lease that was granted just now, until it is let go. */
    void keep(String key, Lease lease) {
        renewedAt.put(new HeldLease(key, lease.token()), lease.askedNanos());
        tickIfIdle();
    }

    void letGo(String key, LeaseToken token) {
        renewedAt.remove(new HeldLease(key, token));
    }

    private void tickIfIdle() {
        if (!renewedAt.isEmpty() && ticking.compareAndSet(false, true)) {
            scheduleTick();
        }
    }

    private void scheduleTick() {
        time.schedule(leaseTtl.toNanos() / TICKS_PER_LIFE, () -> {
            if (!renewals.run(this::tick)) {
                scheduleTick();
            }
        });
    }

    private void tick() {
        try {
            renewDue();
        } finally {
            if (renewedAt.isEmpty()) {
                ticking.set(false);
                tickIfIdle();
            } else {
                scheduleTick();
            }
        }
    }

    private void renewDue() {
        long now = time.monotonicNanos();
        List<HeldLease> due = due(now);
        if (due.isEmpty()) {
            return;
        }
        try {
            Set<HeldLease> lost = store.renew(due, leaseTtl);
            due.forEach(lease -> renewedAt.replace(lease, now));
            lost.forEach(this::lost);
        } catch (StoreException e) {
            errands.run(() -> events.fault(FaultSource.STORE, e));
        }
    }

    private List<HeldLease> due(long now) {
        long third = leaseTtl.toNanos() / 3;
        Collection<Map.Entry<HeldLease, Long>> all = renewedAt.entrySet();
        return all.stream()
                .filter(lease -> now - lease.getValue() >= third)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** A lease that was let go meanwhile ended as it should. */
    private void lost(HeldLease lease) {
        if (renewedAt.remove(lease) != null) {
            errands.run(() -> events.lease(LeaseOutcome.LOST));
        }
    }
}
