package io.stampedeguard.store;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The reference store: complete, but within this process only; for single processes without Redis, and for tests.
 * <em>Thread-safe</em>; no method blocks. Expired entries are removed as others are written; live ones are unbounded.
 */
public final class InMemoryStore implements SharedStore, LeaseNotifications, InvalidationEvents, FleetMembers {
    private static final int WRITES_PER_SWEEP = 1_024;

    private final ConcurrentHashMap<String, Slot> slots = new ConcurrentHashMap<>();

    /** For each cache, until when each process lives; the maps are never changed. */
    private final ConcurrentHashMap<String, SortedMap<String, Long>> processes = new ConcurrentHashMap<>();

    private final Watchers watchers = new Watchers();
    private final AtomicInteger writes = new AtomicInteger();
    private final ChangeWatchers changeWatchers;
    private final TimeSource time;

    private InMemoryStore(TimeSource time) {
        this.time = time;
        this.changeWatchers = new ChangeWatchers(time);
    }

    /** {@return a new, empty store on the machine's clock} */
    public static InMemoryStore create() {
        return create(TimeSource.system());
    }

    /**
     * {@return a new, empty store on a given clock}
     *
     * @param time the clock for entries and leases
     */
    public static InMemoryStore create(TimeSource time) {
        return new InMemoryStore(time);
    }

    /**
     * Removes everything, like a server that is killed and restarts without its data. Watches of changes are interrupted and
     * resume at once. For tests; changes made concurrently may be lost.
     */
    public void restart() {
        slots.clear();
        processes.clear();
        changeWatchers.restart();
    }

    @Override
    public byte @Nullable [] read(String key, Duration patience) {
        Slot slot = slots.get(key);
        return slot == null ? null : slot.at(time.monotonicNanos()).entry();
    }

    @Override
    public LeaseAttempt lease(LeaseRequest request, Duration ttl, Duration patience) {
        long now = time.monotonicNanos();
        LeaseAttempt[] answer = new LeaseAttempt[1];
        change(request.key(), before -> {
            Slot slot = before.at(now);
            answer[0] = answer(slot, request.token(), request.seen(), now);
            return answer[0] instanceof LeaseAttempt.Granted
                    ? slot.with(new Slot.Lease(request.token(), now + ttl.toNanos()))
                    : slot;
        });
        return answer[0];
    }

    private static LeaseAttempt answer(Slot slot, LeaseToken token, @Nullable LeaseToken seen, long now) {
        byte[] unseen = slot.unseen(seen);
        if (unseen != null) {
            return new LeaseAttempt.Found(unseen);
        }
        if (slot.isFree(now) || slot.isHeldBy(token)) {
            return new LeaseAttempt.Granted(slot.failures());
        }
        if (slot.place() instanceof Slot.Passed passed) {
            return new LeaseAttempt.NotCacheable(Duration.ofNanos(passed.end() - now));
        }
        return slot.place() instanceof Slot.Mark mark
                ? new LeaseAttempt.Failed(mark.failed().failure(), Duration.ofNanos(mark.coolEnd() - now))
                : held((Slot.Lease) requireNonNull(slot.place()), now);
    }

    private static LeaseAttempt held(Slot.Lease lease, long now) {
        return new LeaseAttempt.Held(lease.token(), Duration.ofNanos(lease.end() - now));
    }

    @Override
    public Set<HeldLease> renew(Collection<HeldLease> leases, Duration ttl) {
        long now = time.monotonicNanos();
        return leases.stream()
                .filter(lease -> !changeIfHeld(
                        lease.key(),
                        lease.token(),
                        now,
                        held -> held.with(new Slot.Lease(lease.token(), now + ttl.toNanos()))))
                .collect(Collectors.toSet());
    }

    @Override
    public boolean publish(String key, LeaseToken token, byte[] entry, Duration ttl) {
        long now = time.monotonicNanos();
        boolean held = changeIfHeld(key, token, now, slot -> new Slot(entry, now + ttl.toNanos(), null));
        return notifyIf(held, key, new Notice.Published(token, entry)) || isBy(token, key, now);
    }

    @Override
    public boolean abandon(String key, LeaseToken token) {
        boolean held = changeIfHeld(key, token, time.monotonicNanos(), slot -> slot.with(null));
        return notifyIf(held, key, new Notice.Freed());
    }

    @Override
    public boolean fail(String key, LeaseToken token, FailedLoad failed) {
        long now = time.monotonicNanos();
        long coolEnd = now + failed.coolDown().toNanos();
        Slot.Mark mark =
                new Slot.Mark(failed, coolEnd, coolEnd + failed.remembered().toNanos());
        boolean held = changeIfHeld(key, token, now, slot -> slot.with(mark));
        return notifyIf(held, key, new Notice.Failed(token, failed.failure(), failed.coolDown()));
    }

    @Override
    public boolean pass(String key, LeaseToken token, UnstoredResult result) {
        long now = time.monotonicNanos();
        Slot.Passed mark = result.notCacheable().isZero()
                ? null
                : new Slot.Passed(now + result.notCacheable().toNanos());
        boolean held = changeIfHeld(
                key, token, now, slot -> new Slot(result.removesEntry() ? null : slot.entry(), slot.entryEnd(), mark));
        byte[] entry = result.entry();
        return notifyIf(held, key, entry == null ? new Notice.Freed() : new Notice.Unstored(token, entry));
    }

    @Override
    public boolean put(String key, byte[] entry, Duration ttl, Duration patience) {
        if (patience.isZero() || patience.isNegative()) {
            return false;
        }
        long end = time.monotonicNanos() + ttl.toNanos();
        change(key, slot -> new Slot(entry, end, null));
        notifyChanged(key);
        return true;
    }

    @Override
    public void invalidate(String key, Duration patience) {
        slots.remove(key);
        notifyChanged(key);
    }

    @Override
    public void expire(String key, int offset, byte[] mark, Duration patience) {
        long now = time.monotonicNanos();
        change(key, slot -> slot.at(now).with(null).overwritten(offset, mark));
        notifyChanged(key);
    }

    @Override
    public boolean extend(String key, LeaseToken token, LeaseToken seen, byte[] head, Duration ttl) {
        long now = time.monotonicNanos();
        boolean[] extended = new boolean[1];
        boolean held = changeIfHeld(key, token, now, slot -> {
            Slot freed = slot.with(null);
            extended[0] = slot.beginsWith(seen);
            return extended[0] ? freed.overwritten(0, head).until(now + ttl.toNanos()) : freed;
        });
        notifyIf(held, key, extended[0] ? new Notice.Published(token, null) : new Notice.Freed());
        return extended[0] || (!held && isBy(token, key, now));
    }

    @Override
    public StoredKey inspect(String key) {
        long now = time.monotonicNanos();
        Slot slot = slots.getOrDefault(key, Slot.EMPTY).at(now);
        Duration remaining = slot.entry() == null ? null : Duration.ofNanos(slot.entryEnd() - now);
        return new StoredKey(slot.entry(), remaining, slot.leaseAt(now));
    }

    @Override
    public LeaseNotifications.Watch watch(String key, LeaseNotifications.Listener listener) {
        return watchers.watch(key, listener);
    }

    @Override
    public InvalidationEvents.Watch watchChanges(String cache, InvalidationEvents.Listener listener) {
        return changeWatchers.watch(cache, listener);
    }

    @Override
    public Membership beat(String cache, String process, Duration ttl) {
        long now = time.monotonicNanos();
        SortedMap<String, Long> living = requireNonNull(processes.compute(cache, (name, before) -> {
            SortedMap<String, Long> after = before == null ? new TreeMap<>() : new TreeMap<>(before);
            after.values().removeIf(end -> end - now <= 0);
            after.put(process, now + ttl.toNanos());
            return after;
        }));
        return new Membership(living.size(), living.headMap(process).size());
    }

    @Override
    public void leave(String cache, String process) {
        processes.computeIfPresent(cache, (name, before) -> {
            SortedMap<String, Long> after = new TreeMap<>(before);
            after.remove(process);
            return after.isEmpty() ? null : after;
        });
    }

    @Override
    public long currentTimeMillis() {
        return time.wallMillis();
    }

    /** Returns the number of keys with an entry or a lease, expired or not. */
    int size() {
        return slots.size();
    }

    private boolean isBy(LeaseToken token, String key, long now) {
        return slots.getOrDefault(key, Slot.EMPTY).at(now).beginsWith(token);
    }

    private interface Step {
        Slot apply(Slot before);
    }

    private void change(String key, Step step) {
        if (writes.incrementAndGet() % WRITES_PER_SWEEP == 0) {
            sweep();
        }
        slots.compute(
                key, (k, slot) -> step.apply(slot == null ? Slot.EMPTY : slot).orNull());
    }

    private void notifyChanged(String key) {
        watchers.report(key, new Notice.Freed());
        changeWatchers.report(key);
    }

    private boolean notifyIf(boolean held, String key, Notice notice) {
        if (held) {
            watchers.report(key, notice);
        }
        return held;
    }

    private boolean changeIfHeld(String key, LeaseToken token, long now, Step step) {
        boolean[] held = new boolean[1];
        change(key, before -> {
            Slot slot = before.at(now);
            held[0] = slot.isHeldBy(token);
            return held[0] ? step.apply(slot) : slot;
        });
        return held[0];
    }

    private void sweep() {
        long now = time.monotonicNanos();
        slots.keySet()
                .forEach(key ->
                        slots.computeIfPresent(key, (k, slot) -> slot.at(now).orNull()));
    }
}
