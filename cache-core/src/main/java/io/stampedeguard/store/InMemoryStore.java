package io.stampedeguard.store;

import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The reference store: complete, in this process only. For one process that wants the protection without Redis, and
 * for tests. <em>Thread-safe</em>; no method blocks. Expired entries are dropped as others are written; there is no
 * bound on the number of live ones.
 */
public final class InMemoryStore implements SharedStore {
    private static final int WRITES_PER_SWEEP = 1_024;

    private final ConcurrentHashMap<String, Slot> slots = new ConcurrentHashMap<>();
    private final AtomicInteger writes = new AtomicInteger();
    private final TimeSource time;

    private InMemoryStore(TimeSource time) {
        this.time = time;
    }

    /**
     * Makes an empty store on the machine's clock.
     *
     * @return a new store
     */
    public static InMemoryStore create() {
        return create(TimeSource.system());
    }

    /**
     * Makes an empty store on a given clock.
     *
     * @param time the clock that ends entries and leases
     * @return a new store
     */
    public static InMemoryStore create(TimeSource time) {
        return new InMemoryStore(time);
    }

    @Override
    public byte @Nullable [] read(String key) {
        Slot slot = slots.get(key);
        return slot == null ? null : slot.at(time.monotonicNanos()).entry;
    }

    @Override
    public LeaseAttempt lease(String key, LeaseToken token, @Nullable LeaseToken seen, Duration ttl) {
        long now = time.monotonicNanos();
        Slot after = change(key, before -> {
            Slot slot = before.at(now);
            boolean granted = slot.holder == null && slot.unseen(seen) == null;
            return granted ? slot.heldBy(token, now + ttl.toNanos()) : slot;
        });
        byte[] unseen = after.unseen(seen);
        if (unseen != null) {
            return new LeaseAttempt.Found(unseen);
        }
        return token.equals(after.holder)
                ? new LeaseAttempt.Granted()
                : new LeaseAttempt.Held(String.valueOf(after.holder), Duration.ofNanos(after.leaseEnd - now));
    }

    @Override
    public boolean publish(String key, LeaseToken token, byte[] entry, Duration ttl) {
        long now = time.monotonicNanos();
        return changeIfHeld(key, token, now, held -> Slot.EMPTY.holding(entry, now + ttl.toNanos()));
    }

    @Override
    public boolean abandon(String key, LeaseToken token) {
        return changeIfHeld(key, token, time.monotonicNanos(), Slot::withoutLease);
    }

    @Override
    public void put(String key, byte[] entry, Duration ttl) {
        long end = time.monotonicNanos() + ttl.toNanos();
        change(key, slot -> Slot.EMPTY.holding(entry, end));
    }

    @Override
    public void invalidate(String key) {
        slots.remove(key);
    }

    @Override
    public void expire(String key, int offset, byte[] mark) {
        long now = time.monotonicNanos();
        change(key, slot -> slot.at(now).withoutLease().overwritten(offset, mark));
    }

    @Override
    public long currentTimeMillis() {
        return time.wallMillis();
    }

    /** Tells how many keys hold something, dead or alive. */
    int size() {
        return slots.size();
    }

    private interface Step {
        Slot apply(Slot before);
    }

    private Slot change(String key, Step step) {
        if (writes.incrementAndGet() % WRITES_PER_SWEEP == 0) {
            sweep();
        }
        Slot after = slots.compute(
                key, (k, slot) -> step.apply(slot == null ? Slot.EMPTY : slot).orNull());
        return after == null ? Slot.EMPTY : after;
    }

    private boolean changeIfHeld(String key, LeaseToken token, long now, Step step) {
        boolean[] held = new boolean[1];
        change(key, before -> {
            Slot slot = before.at(now);
            held[0] = token.equals(slot.holder);
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

    /** What is under one key: an entry, a lease, both or neither, each with its end. */
    private record Slot(
            byte @Nullable [] entry,
            long entryEnd,
            @Nullable LeaseToken holder,
            long leaseEnd) {
        static final Slot EMPTY = new Slot(null, 0, null, 0);

        Slot at(long now) {
            boolean entryOver = entry != null && now - entryEnd >= 0;
            boolean leaseOver = holder != null && now - leaseEnd >= 0;
            if (entryOver) {
                return leaseOver || holder == null ? EMPTY : new Slot(null, 0, holder, leaseEnd);
            }
            return leaseOver ? withoutLease() : this;
        }

        @Nullable
        Slot orNull() {
            return entry == null && holder == null ? null : this;
        }

        byte @Nullable [] unseen(@Nullable LeaseToken seen) {
            LeaseToken published = entry == null ? null : LeaseToken.startOf(entry);
            return published == null || published.equals(seen) ? null : entry;
        }

        Slot heldBy(LeaseToken token, long end) {
            return new Slot(entry, entryEnd, token, end);
        }

        Slot holding(byte[] bytes, long end) {
            return new Slot(bytes, end, null, 0);
        }

        Slot withoutLease() {
            return entry == null ? EMPTY : new Slot(entry, entryEnd, null, 0);
        }

        Slot overwritten(int offset, byte[] mark) {
            if (entry == null || entry.length < offset + mark.length) {
                return this;
            }
            byte[] marked = Arrays.copyOf(entry, entry.length);
            System.arraycopy(mark, 0, marked, offset, mark.length);
            return new Slot(marked, entryEnd, null, 0);
        }
    }
}
