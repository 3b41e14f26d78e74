package io.stampedeguard.internal.lease;

import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.thread.BackgroundTasks;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Renews the leases of this process, from the grant until the result of the load is stored:
 * <ol>
 *   <li>while there are any, a timer ticks six times in a lease's life, and renews those that are a third of their life old: a
 *       shorter load costs neither a call nor a thread, and the next tick makes up for a call that fails;
 *   <li>they are renewed in portions, one after another: however many there are, no call takes long. A portion leaves out what
 *       has ended meanwhile;
 *   <li>each group of keys that the store keeps apart ({@link SharedStore#groups}) has calls and a thread of its own: one that
 *       stalls delays no other;
 *   <li>a lease whose renewal is under way is not renewed by a second call;
 *   <li>a lost lease is reported to the listener and dropped: the load runs on, and its value will be fenced. One whose end was
 *       requested by its own load, such as a publication, is not lost;
 *   <li>each lease is dropped {@code loadTimeout} after its load began, whatever happened to the load. The time of the request
 *       does not count: it may have waited for a connection for longer than the load may take.
 * </ol>
 *
 * <p>Renewals have threads of their own, because tasks wait for stores that do not answer, and for listeners. A process that
 * crashes or stalls renews nothing: that is what a lease is for. <em>Thread-safe</em>; nothing here blocks.
 */
public final class LeaseRenewer implements AutoCloseable {
    private static final int TICKS_PER_LIFE = 6;
    private static final int MOST_GROUPS_AT_ONCE = 64;
    private static final int LARGEST_PORTION = 512;

    private final Map<HeldLease, Renewal> kept = new ConcurrentHashMap<>();
    private final AtomicBoolean ticking = new AtomicBoolean();
    private final SharedStore store;
    private final Duration leaseTtl;
    private final Duration loadTimeout;
    private final TimeSource time;
    private final CacheEvents events;
    private final BackgroundTasks tasks;
    private final BackgroundTasks renewals;
    private volatile boolean closed;

    /**
     * A kept lease; all times are of the monotonic clock. {@code isUnderWay}: a call that renews it has begun and not ended. {@code
     * isEnding}: its load has requested its end, and there is no answer yet.
     */
    private record Renewal(long atNanos, long untilNanos, boolean isUnderWay, boolean isEnding) {
        Renewal until(long nanos) {
            return new Renewal(atNanos, nanos, isUnderWay, isEnding);
        }

        Renewal begun() {
            return new Renewal(atNanos, untilNanos, true, isEnding);
        }

        Renewal renewedAt(long nanos) {
            return new Renewal(nanos, untilNanos, isUnderWay, isEnding);
        }

        Renewal over() {
            return new Renewal(atNanos, untilNanos, false, isEnding);
        }

        Renewal ending() {
            return new Renewal(atNanos, untilNanos, isUnderWay, true);
        }
    }

    public LeaseRenewer(CacheContext context, SharedStore store, BackgroundTasks tasks) {
        this.store = store;
        this.leaseTtl = context.policy().leaseTtl();
        this.loadTimeout = context.policy().loadTimeout();
        this.time = context.time();
        this.events = context.events();
        this.tasks = tasks;
        this.renewals = new BackgroundTasks(context.name(), "leases", MOST_GROUPS_AT_ONCE, context.time());
    }

    /** Renews a lease that was granted, or whose load begins, now; until it is let go. The store was asked for it at that time. */
    public void keep(HeldLease lease, long askedNanos) {
        long until = time.monotonicNanos() + loadTimeout.toNanos();
        kept.merge(lease, new Renewal(askedNanos, until, false, false), (renewal, fresh) -> renewal.until(until));
        tickIfIdle();
    }

    /** Notes that the ends of leases are requested now. They are renewed nevertheless: the request may have to wait. */
    void ending(Collection<HeldLease> leases) {
        for (HeldLease lease : leases) {
            kept.computeIfPresent(lease, (same, renewal) -> renewal.ending());
        }
    }

    /** Lets a lease go; returns whether it was kept until now. */
    public boolean letGo(HeldLease lease) {
        return kept.remove(lease) != null;
    }

    /** Renews leases at once, in portions; returns those that are lost, by the answers until the first that is missing. */
    Set<HeldLease> renewNow(Collection<HeldLease> leases) {
        Set<HeldLease> lost = new HashSet<>();
        try {
            for (List<HeldLease> portion : portions(List.copyOf(leases))) {
                long asked = time.monotonicNanos();
                lost.addAll(store.renew(portion, leaseTtl));
                renewedAt(asked, portion);
            }
        } catch (StoreException e) {
            events.fault(FaultSource.STORE, e);
        }
        return lost;
    }

    /** Divides what is requested of a store into portions that it answers soon. */
    static <T> List<List<T>> portions(List<T> all) {
        if (all.size() <= LARGEST_PORTION) {
            return List.of(all);
        }
        List<List<T>> portions = new ArrayList<>();
        for (int from = 0; from < all.size(); from += LARGEST_PORTION) {
            portions.add(all.subList(from, Math.min(all.size(), from + LARGEST_PORTION)));
        }
        return portions;
    }

    /** Renews nothing more, and ends the threads. */
    @Override
    public void close() {
        closed = true;
        kept.clear();
        renewals.close();
    }

    private void tickIfIdle() {
        if (!kept.isEmpty() && ticking.compareAndSet(false, true)) {
            scheduleTick();
        }
    }

    private void scheduleTick() {
        try {
            time.schedule(leaseTtl.toNanos() / TICKS_PER_LIFE, () -> {
                if (!isAnyDue()) {
                    scheduleNext(); // no thread is started for this
                } else if (!renewals.run(this::tick) && !closed) {
                    scheduleTick();
                }
            });
        } catch (RuntimeException | Error e) { // no thread for the timer, for instance: the next lease tries again
            ticking.set(false);
            throw e;
        }
    }

    private void tick() {
        try {
            renewDue();
        } finally {
            scheduleNext();
        }
    }

    private void scheduleNext() {
        if (kept.isEmpty()) {
            ticking.set(false);
            tickIfIdle();
        } else {
            scheduleTick();
        }
    }

    private boolean isAnyDue() {
        long now = time.monotonicNanos();
        for (Renewal renewal : kept.values()) {
            if (isDue(renewal, now) || now - renewal.untilNanos >= 0) {
                return true;
            }
        }
        return false;
    }

    private boolean isDue(Renewal renewal, long now) {
        return !renewal.isUnderWay && now - renewal.atNanos >= leaseTtl.toNanos() / 3;
    }

    private void renewDue() {
        long now = time.monotonicNanos();
        kept.values().removeIf(renewal -> now - renewal.untilNanos >= 0);
        Map<String, List<HeldLease>> due = due(now);
        List<List<String>> groups = due.isEmpty() ? List.of() : groups(due);
        for (List<String> keys : groups) {
            List<HeldLease> group = keys.stream()
                    .flatMap(key -> due.getOrDefault(key, List.of()).stream())
                    .toList();
            if (groups.size() == 1) {
                renew(group);
            } else if (!renewals.run(() -> renew(group))) {
                group.forEach(this::renewalOver);
            }
        }
    }

    private List<List<String>> groups(Map<String, List<HeldLease>> due) {
        try {
            return store.groups(due.keySet());
        } catch (RuntimeException | Error e) {
            due.values().forEach(leases -> leases.forEach(this::renewalOver));
            throw e;
        }
    }

    /** Returns the leases that are to be renewed, by their keys, and notes that this has begun. */
    private Map<String, List<HeldLease>> due(long now) {
        Map<String, List<HeldLease>> due = new LinkedHashMap<>();
        kept.forEach((lease, renewal) -> {
            if (isDue(renewal, now) && kept.replace(lease, renewal, renewal.begun())) {
                due.computeIfAbsent(lease.key(), key -> new ArrayList<>()).add(lease);
            }
        });
        return due;
    }

    private void renew(List<HeldLease> leases) {
        try {
            portions(leases).forEach(this::renewPortion);
        } finally {
            leases.forEach(this::renewalOver);
        }
    }

    private void renewPortion(List<HeldLease> portion) {
        List<HeldLease> leases = portion.stream().filter(kept::containsKey).toList();
        if (leases.isEmpty()) {
            return;
        }
        long asked = time.monotonicNanos();
        try {
            Set<HeldLease> lost = store.renew(leases, leaseTtl);
            renewedAt(asked, leases);
            lost.forEach(this::lost);
        } catch (StoreException e) {
            tasks.run(() -> events.fault(FaultSource.STORE, e));
        }
    }

    private void renewedAt(long asked, List<HeldLease> leases) {
        leases.forEach(lease -> kept.computeIfPresent(lease, (same, renewal) -> renewal.renewedAt(asked)));
    }

    /** Lets a later tick renew a lease again. */
    private void renewalOver(HeldLease lease) {
        kept.computeIfPresent(lease, (same, renewal) -> renewal.over());
    }

    /** A lease that was let go meanwhile, or is about to be, ended as it should. */
    private void lost(HeldLease lease) {
        Renewal renewal = kept.remove(lease);
        if (renewal != null && !renewal.isEnding) {
            tasks.run(() -> events.report(EventType.LEASE_LOST));
        }
    }
}
