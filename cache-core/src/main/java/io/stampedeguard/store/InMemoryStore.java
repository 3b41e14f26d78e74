package io.stampedeguard.store;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.internal.spi.Change;
import io.stampedeguard.internal.spi.ChangeMemory;
import io.stampedeguard.internal.spi.FleetMembers;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.InvalidationEvents;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseNotifications;
import io.stampedeguard.internal.spi.LeaseRequest;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.spi.Marks;
import io.stampedeguard.internal.spi.StoredKey;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.time.TimeSource;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The reference store: complete, but within this process only; for single processes without Redis, and for tests.
 * <em>Thread-safe</em>; no method blocks. Expired entries are removed as others are written; live ones are unbounded.
 */
@SuppressWarnings("exports") // what the verbs take and return is the business of the cache and its stores
public final class InMemoryStore
        implements SharedStore, LeaseNotifications, InvalidationEvents, FleetMembers, ChangeMemory, Marks.Keeper {
    private static final int WRITES_PER_SWEEP = 1_024;
    private static final long BEAT_NANOS = Duration.ofSeconds(1).toNanos();

    private final ConcurrentHashMap<String, Slot> slots = new ConcurrentHashMap<>();

    /** For each cache, the changes of entries with a tag; those of all entries are made one by one. */
    private final ConcurrentHashMap<String, Marks> marks = new ConcurrentHashMap<>();

    /** For each cache, until when each process lives; the maps are never changed. */
    private final ConcurrentHashMap<String, SortedMap<String, Long>> processes = new ConcurrentHashMap<>();

    /** For each cache whose changes are remembered, for how long. */
    private final ConcurrentHashMap<String, Duration> memories = new ConcurrentHashMap<>();

    /** When keys were last changed, and under the names of caches all of their entries; written before or as the key is changed. */
    private final ConcurrentHashMap<String, Long> changed = new ConcurrentHashMap<>();

    private final AtomicInteger writes = new AtomicInteger();
    private final Watchers<LeaseNotifications.Listener> watchers;
    private final Watchers<InvalidationEvents.Listener> changeWatchers;
    private final AtomicBoolean beating = new AtomicBoolean();
    private final TimeSource time;

    private InMemoryStore(TimeSource time) {
        this.time = time;
        this.watchers = new Watchers<>("lease notifications", time);
        this.changeWatchers = new Watchers<>("invalidations", time);
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
        changed.clear();
        changeWatchers.report(InvalidationEvents.Listener::disconnected);
        changeWatchers.report(InvalidationEvents.Listener::listening);
    }

    @Override
    public byte @Nullable [] read(String key, Duration patience) {
        Slot slot = slots.get(key);
        return slot == null ? null : slot.at(time.monotonicNanos()).entry();
    }

    @Override
    public Map<String, byte @Nullable []> read(Collection<String> keys, Duration patience) {
        Map<String, byte @Nullable []> entries = new HashMap<>();
        keys.forEach(key -> entries.put(key, read(key, patience)));
        return entries;
    }

    @Override
    public Map<String, LeaseAttempt> lease(Collection<LeaseRequest> requests, Duration ttl, Duration patience) {
        Map<String, LeaseAttempt> attempts = new HashMap<>();
        requests.forEach(request -> attempts.put(request.key(), lease(request, ttl)));
        return attempts;
    }

    private LeaseAttempt lease(LeaseRequest request, Duration ttl) {
        long now = time.monotonicNanos();
        LeaseAttempt[] answer = new LeaseAttempt[1];
        change(request.key(), before -> {
            Slot slot = before.at(now);
            if (request.isForFence()) {
                byte[] unseen = slot.unseen(request.seen());
                boolean isGone = request.seen() != null && !slot.beginsWith(request.seen());
                Slot after = unseen != null || isGone ? slot : slot.fenced(request.token(), now, now + ttl.toNanos());
                answer[0] = unseen != null
                        ? new LeaseAttempt.Found(unseen)
                        : new LeaseAttempt.Fence(isGone ? null : after.fence());
                return after;
            }
            answer[0] = slot.answerTo(request, now);
            return answer[0] instanceof LeaseAttempt.Granted
                    ? slot.with(new Slot.Lease(request.token(), now + ttl.toNanos(), generation(request.key())))
                    : slot;
        });
        return answer[0];
    }

    @Override
    public Set<HeldLease> renew(Collection<HeldLease> leases, Duration ttl) {
        long now = time.monotonicNanos();
        return leases.stream()
                .filter(lease -> !changeIfHeld(lease, now, held -> held.renewed(now + ttl.toNanos())))
                .collect(Collectors.toSet());
    }

    @Override
    public Map<HeldLease, Boolean> end(Map<HeldLease, ? extends LeaseEnd> ends) {
        Map<HeldLease, Boolean> made = new HashMap<>();
        ends.forEach((lease, end) -> made.put(lease, end(lease, end, time.monotonicNanos())));
        return made;
    }

    private boolean end(HeldLease lease, LeaseEnd end, long now) {
        if (end instanceof LeaseEnd.Publish published) {
            return publish(lease, published, now);
        }
        if (end instanceof LeaseEnd.Extend extension) {
            return extend(lease, extension, now);
        }
        if (end instanceof LeaseEnd.Fail failed) {
            return fail(lease, failed, now);
        }
        return end instanceof LeaseEnd.Pass passed
                ? pass(lease, passed, now)
                : notifyIf(changeIfHeld(lease, now, slot -> slot.with(null)), lease, new Notice.Freed());
    }

    private boolean publish(HeldLease lease, LeaseEnd.Publish end, long now) {
        boolean[] tooOld = new boolean[1];
        boolean held = storeIfHeld(lease, end.tags(), now, slot -> {
            tooOld[0] = end.asOfMillis() != null && mayBeChangedSince(end, lease.key(), now);
            return tooOld[0]
                    ? slot.with(null)
                    : new Slot(end.entry(), now + end.ttl().toNanos(), null);
        });
        notifyIf(held, lease, tooOld[0] ? new Notice.Freed() : new Notice.Published(lease.token(), end.entry()));
        return !tooOld[0] && (held || isPublished(lease, now));
    }

    /** Returns whether a key, all keys of its cache, or those with its tags, may have been changed since; also if that is forgotten. */
    private boolean mayBeChangedSince(LeaseEnd.Publish end, String key, long now) {
        long asOfMillis = requireNonNull(end.asOfMillis());
        Duration memory = memories.getOrDefault(cacheOf(key), Duration.ZERO);
        Duration age = Duration.ofMillis(time.wallMillis() - asOfMillis + 1); // the clock's precision
        if (age.isNegative() || age.compareTo(memory) >= 0) {
            return true;
        }
        long asOfNanos = now - age.toNanos();
        return isChangedSince(asOfNanos, key)
                || isChangedSince(asOfNanos, cacheOf(key))
                || marks(cacheOf(key)).isOutdated(asOfMillis - 1, end.tags());
    }

    private boolean isChangedSince(long nanos, String keyOrCache) {
        Long last = changed.get(keyOrCache);
        return last != null && last - nanos >= 0;
    }

    private void noteChange(String keyOrCache, long now) {
        if (!memories.isEmpty() && memories.containsKey(cacheOf(keyOrCache))) {
            changed.put(keyOrCache, now);
        }
    }

    @Override
    public void remember(String cache, Duration length) {
        memories.put(cache, length);
    }

    private boolean extend(HeldLease lease, LeaseEnd.Extend end, long now) {
        boolean[] extended = new boolean[1];
        boolean held = storeIfHeld(lease, end.tags(), now, slot -> {
            Slot freed = slot.with(null);
            extended[0] = slot.beginsWith(end.seen());
            return extended[0]
                    ? freed.overwritten(0, end.head()).until(now + end.ttl().toNanos())
                    : freed;
        });
        notifyIf(held, lease, extended[0] ? new Notice.Published(lease.token(), null) : new Notice.Freed());
        return extended[0] || (!held && isPublished(lease, now));
    }

    private boolean fail(HeldLease lease, LeaseEnd.Fail end, long now) {
        long coolEnd = now + end.coolDown().toNanos();
        Slot.Mark mark = new Slot.Mark(end, coolEnd, coolEnd + end.remembered().toNanos());
        return notifyIf(
                changeIfHeld(lease, now, slot -> slot.with(mark)),
                lease,
                new Notice.Failed(lease.token(), end.failure(), end.coolDown()));
    }

    private boolean pass(HeldLease lease, LeaseEnd.Pass end, long now) {
        Slot.Passed mark = end.notCacheable().isZero()
                ? null
                : new Slot.Passed(now + end.notCacheable().toNanos());
        boolean held = storeIfHeld(
                lease,
                end.tags(),
                now,
                slot -> new Slot(end.removesEntry() ? null : slot.entry(), slot.entryEnd(), mark));
        byte[] entry = end.entry();
        return notifyIf(held, lease, entry == null ? new Notice.Freed() : new Notice.Unstored(lease.token(), entry));
    }

    @Override
    public boolean change(String key, Change change, Duration patience) {
        if (change instanceof Change.Put && (patience.isZero() || patience.isNegative())) {
            return false;
        }
        if (change instanceof Change.OfAll all) {
            changeAll(key, all, patience);
            return true;
        }
        long now = time.monotonicNanos();
        boolean[] made = {true};
        change(key, before -> {
            if (change instanceof Change.Put put) {
                boolean passes = put.fence() == null || before.at(now).passes(put, put.fence(), marks(cacheOf(key)));
                made[0] = passes || before.at(now).beginsWith(LeaseToken.startOf(put.entry()));
                if (passes) {
                    noteChange(key, now);
                }
                return passes ? new Slot(stamped(key, put), now + put.ttl().toNanos(), null) : before;
            }
            noteChange(key, now);
            return change instanceof Change.Expire expiry
                    ? before.at(now).with(null).overwritten(expiry.offset(), expiry.mark())
                    : Slot.EMPTY;
        });
        if (!made[0]) {
            return false;
        }
        watchers.report(key, listener -> listener.onNotice(new Notice.Freed()));
        changeWatchers.report(cacheOf(key), listener -> listener.changed(key));
        return true;
    }

    /** All entries are changed one by one, those with a tag by its mark; so they are by marks that a process has made. */
    private void changeAll(String cache, Change.OfAll all, Duration patience) {
        if (!all.tags().isEmpty()) {
            marks(cache).raise(all.each() instanceof Change.Invalidate, all.tags(), time.wallMillis());
        } else if (!all.isKnown()) {
            noteChange(cache, time.monotonicNanos());
            String start = cache + ":";
            slots.keySet().stream()
                    .filter(each -> each.startsWith(start))
                    .forEach(each -> change(each, all.each(), patience));
        }
        changeWatchers.report(cache, InvalidationEvents.Listener::changedAll);
    }

    private byte[] stamped(String key, Change.Put put) {
        long generation = generation(key);
        ByteBuffer stamped = ByteBuffer.wrap(put.entry().clone());
        if (stamped.capacity() >= put.stampOffset() + Long.BYTES && stamped.getLong(put.stampOffset()) < generation) {
            stamped.putLong(put.stampOffset(), generation);
        }
        return stamped.array();
    }

    private long generation(String key) {
        return marks(cacheOf(key)).known.get().generation();
    }

    /** They are known to each process at once. */
    @Override
    public Marks marks(String cache) {
        Marks known = marks.get(cache); // without a lock
        return known == null ? marks.computeIfAbsent(cache, name -> new Marks()) : known;
    }

    @Override
    public StoredKey inspect(String key) {
        long now = time.monotonicNanos();
        Slot slot = slots.getOrDefault(key, Slot.EMPTY).at(now);
        Duration remaining = slot.entry() == null ? null : Duration.ofNanos(slot.entryEnd() - now);
        return new StoredKey(slot.entry(), remaining, slot.leaseAt(now));
    }

    @Override
    public Watch watch(String key, LeaseNotifications.Listener listener) {
        return watchers.watch(key, listener, LeaseNotifications.Listener::listening);
    }

    @Override
    public Watch watchChanges(String cache, List<? extends InvalidationEvents.Listener> listeners) {
        Watch watch = changeWatchers.watch(cache, listeners.get(0), InvalidationEvents.Listener::listening);
        beatIfIdle();
        return watch;
    }

    private void beatIfIdle() {
        if (!changeWatchers.isEmpty() && beating.compareAndSet(false, true)) {
            time.schedule(BEAT_NANOS, this::beat);
        }
    }

    /** Listeners are notified on the changing thread, so none has missed a change. */
    private void beat() {
        try {
            changeWatchers.report(listener -> listener.completeUpTo(() -> 0));
        } finally {
            beating.set(false);
            beatIfIdle();
        }
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

    /** Returns the cache of a key: the text before the first colon; all of the name of a cache. */
    private static String cacheOf(String key) {
        int end = key.indexOf(':');
        return end < 0 ? key : key.substring(0, end);
    }

    private boolean isPublished(HeldLease lease, long now) {
        return slots.getOrDefault(lease.key(), Slot.EMPTY).at(now).beginsWith(lease.token());
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

    private boolean notifyIf(boolean held, HeldLease lease, Notice notice) {
        if (held) {
            watchers.report(lease.key(), listener -> listener.onNotice(notice));
        }
        return held;
    }

    private boolean changeIfHeld(HeldLease lease, long now, Step step) {
        boolean[] held = new boolean[1];
        change(lease.key(), before -> {
            Slot slot = before.at(now);
            held[0] = slot.isHeldBy(lease.token());
            return held[0] ? step.apply(slot) : slot;
        });
        return held[0];
    }

    /** Stores a value with tags, like the other method; if one was changed since the lease was granted, only ends the lease. */
    private boolean storeIfHeld(HeldLease lease, List<String> tags, long now, Step step) {
        Marks known = marks(cacheOf(lease.key()));
        boolean[] isOutdated = new boolean[1];
        boolean held = changeIfHeld(lease, now, slot -> {
            isOutdated[0] = slot.isOutdated(tags, known);
            return isOutdated[0] ? slot.with(null) : step.apply(slot);
        });
        return isOutdated[0] ? !notifyIf(true, lease, new Notice.Freed()) : held;
    }

    private void sweep() {
        long now = time.monotonicNanos();
        changed.entrySet().removeIf(each -> now - each.getValue() >= ChangeMemory.LONGEST.toNanos());
        slots.keySet()
                .forEach(key ->
                        slots.computeIfPresent(key, (k, slot) -> slot.at(now).orNull()));
    }
}
