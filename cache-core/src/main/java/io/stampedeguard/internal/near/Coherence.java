package io.stampedeguard.internal.near;

import io.stampedeguard.internal.near.Copy.Lifetime;
import io.stampedeguard.internal.near.Copy.Purpose;
import io.stampedeguard.internal.near.Copy.Taken;
import io.stampedeguard.internal.near.Copy.Ticket;
import io.stampedeguard.internal.spi.InvalidationEvents;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides which copies of one part of the store may still be served; for the proof see docs/concurrency.md ("Near caches"):
 * <ol>
 *   <li>Changes are counted, per stripe of keys. Each read of the store takes a {@link Ticket} with the count before it begins:
 *       if the count has changed since, the copy is not covered, whenever it is added. Sharing a stripe costs a read.
 *   <li>Gaps, in which changes may have been missed, are counted, too. Copies from before or within the last gap are not covered:
 *       each is read again when it is requested.
 *   <li>The store repeatedly confirms a moment up to which no change is missing. If it is older than the bound, no copy is
 *       covered.
 *   <li>If a read finds no entry for a copy from a gap, either the key was changed, or the store has lost its data. The latter needs a
 *       restart, so the store did not answer for a while. Then the copy may answer for the bound from the last confirmed moment on, not
 *       counting that while.
 * </ol>
 *
 * <p><em>Thread-safe</em>, provided that only one thread at a time reports gaps; no method blocks. To check a copy costs two
 * volatile reads, plus one comparison of its ticket after each change of any key.
 */
final class Coherence implements InvalidationEvents.Listener {
    private static final AtomicIntegerFieldUpdater<Coherence> VERSION =
            AtomicIntegerFieldUpdater.newUpdater(Coherence.class, "version");

    private static final int FEWEST_STRIPES = 1 << 10;
    private static final int FEWEST_STRIPES_OF_PART = 1 << 4;
    private static final int MOST_STRIPES = 1 << 20;
    private static final int STRIPES_FOR_EACH = 4;

    /** Connecting takes milliseconds; later, a load without a lease is not delayed for it. */
    private static final long LONGEST_CONNECTING_NANOS = Duration.ofSeconds(2).toNanos();

    /** Covers no copy, and every one of its tickets is outdated. */
    static final Coherence CLOSED = closed();

    private final AtomicIntegerArray counts;
    private final TimeSource time;
    private final long boundNanos;
    private final long createdNanos;
    /** The number of parts of the same store with a gap. */
    private final AtomicInteger partsWithGap;

    private final Runnable onGap;
    /** Incremented after all that may outdate a copy: one that was valid at this version is valid while it is unchanged. */
    private volatile int version = 1;

    private volatile int gaps;
    private volatile long untilNanos;
    /** When no change was known to be missing for the last time. */
    private volatile long completeNanos;

    private volatile boolean disconnected = true;
    private volatile boolean isClosed;
    private final CountDownLatch connected = new CountDownLatch(1);
    /** For how long the store had not answered this process up to that moment. */
    private volatile long silentNanos;

    private final AtomicReference<Silence> silence = new AtomicReference<>(new Silence(0, false, 0));
    private volatile @Nullable Ended ended;

    /** For how long the store has not answered this process, in all, up to the last silence; and since when, if it lasts. */
    private record Silence(long nanos, boolean lasts, long sinceNanos) {
        long upTo(long nowNanos) {
            return lasts ? nanos + (nowNanos - sinceNanos) : nanos;
        }
    }

    /**
     * A connection that has ended: the number of gaps before, when no change was known to be missing for the last time, and for how
     * long the store had not answered up to then.
     */
    private record Ended(int gaps, long completeNanos, long silentNanos) {
        /** Returns whether a ticket was taken on that connection, or since then without another one. */
        boolean covers(Ticket ticket) {
            return ticket.gaps() == gaps || ticket.gaps() == gaps + 1;
        }
    }

    /**
     * Creates an instance that covers no copy until changes are reported. {@code onGap} runs once from the moment at which some
     * part is disconnected until all are connected again.
     */
    Coherence(int stripes, long boundNanos, TimeSource time, AtomicInteger partsWithGap, Runnable onGap) {
        this.counts = new AtomicIntegerArray(stripes);
        this.boundNanos = boundNanos;
        this.time = time;
        this.partsWithGap = partsWithGap;
        this.onGap = onGap;
        this.createdNanos = time.monotonicNanos();
        this.untilNanos = createdNanos - 1;
        this.completeNanos = untilNanos;
    }

    private static Coherence closed() {
        Coherence closed = new Coherence(1, 0, TimeSource.system(), new AtomicInteger(), () -> {});
        closed.close();
        return closed;
    }

    /** Returns a power of two for each part, large enough that copies rarely share a stripe. */
    static int stripes(long copies, int parts) {
        long wanted = Math.min(MOST_STRIPES, copies) * STRIPES_FOR_EACH;
        int all = Integer.highestOneBit((int) Math.min(MOST_STRIPES, Math.max(FEWEST_STRIPES, wanted)));
        return Math.max(FEWEST_STRIPES_OF_PART, all / Integer.highestOneBit(parts));
    }

    /** Waits until changes are reported for the first time, or an interrupt, if this was created just now. */
    void awaitListening() {
        long left = createdNanos + LONGEST_CONNECTING_NANOS - time.monotonicNanos();
        try {
            if (connected.getCount() > 0 && left > 0) {
                time.await(connected, left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    Ticket open(String storeKey) {
        int stripe = stripe(storeKey);
        return new Ticket(storeKey, this, stripe, counts.get(stripe), gaps, time.monotonicNanos());
    }

    /** Returns whether a copy may be served as if it had just been read from the store. */
    boolean covers(Copy<?> copy, long nowNanos) {
        return nowNanos - untilNanos <= 0 && (copy.checkedAt() == version || check(copy));
    }

    private boolean check(Copy<?> copy) {
        int before = version; // first: a concurrent change increments it
        Ticket ticket = copy.lifetime().ticket();
        boolean good = ticket.gaps() == gaps && isUnchanged(ticket);
        if (good) {
            copy.checkedAt(before);
        }
        return good;
    }

    /** Returns when a copy was last known to be current: when it was read, or up to when no change of it can be missing. */
    private long currentAt(Ticket ticket) {
        long opened = ticket.openedNanos();
        long complete = completeNanos;
        boolean isOfLastConnection = ticket.gaps() == (disconnected ? gaps - 1 : gaps);
        return isOfLastConnection && complete - opened > 0 ? complete : opened;
    }

    /** Returns whether a ticket is from before a gap that is over, so that changes of its copy may have been missed. */
    private boolean isSuspect(Ticket ticket) {
        return !disconnected && ticket.gaps() != gaps;
    }

    /**
     * Returns whether a read that has not found the entry of a copy shows that the copy is outdated: it is from before or within a
     * gap, was not read later, and the store cannot have lost its entry.
     */
    boolean isDisprovedByAbsence(Ticket ticket, Ticket read) {
        return isFromGap(ticket) && ticket.openedNanos() - read.openedNanos() <= 0 && !mayBeLost(ticket);
    }

    /**
     * How long copies answer: in general, in a process that is disconnected from the store, and in place of an entry that the store has
     * not taken.
     */
    record Limits(long stalenessNanos, long disconnectedNanos, long untakenNanos) {}

    /** Returns whether a copy before its hard expiry, without a known change, may be used for a purpose. */
    boolean isUsableFor(Purpose purpose, Copy<?> copy, long now, Limits limits) {
        Lifetime lifetime = copy.lifetime();
        Ticket ticket = lifetime.ticket();
        Taken taken = lifetime.taken();
        long age = now - ticket.openedNanos();
        return switch (purpose) {
            case UNREADABLE_ENTRY -> age <= limits.stalenessNanos();
            case UNTAKEN ->
                taken != Taken.YES
                        && age <= Math.max(limits.stalenessNanos(), covers(copy, now) ? limits.untakenNanos() : 0);
            case JUST_UNTAKEN ->
                taken != Taken.UNASKED
                        && now - (taken == Taken.NO_ENTRY ? lifetime.softUntilNanos() : lifetime.freshUntilNanos()) < 0
                        && isUsableFor(Purpose.UNTAKEN, copy, now, limits);
            case LOST -> mayBeLost(ticket) && isWithin(limits.disconnectedNanos(), lifetime, now, limits);
            case OUTAGE -> isWithin(isSuspect(ticket) ? 0 : limits.disconnectedNanos(), lifetime, now, limits);
            case LAST_RESORT -> isWithin(limits.disconnectedNanos(), lifetime, now, limits);
            case LAST_RESORT_BESIDE_ENTRY ->
                isWithin(isFromGap(ticket) ? 0 : limits.disconnectedNanos(), lifetime, now, limits);
        };
    }

    /** After its soft expiry nothing proves that a copy is current: that another process loads is not reported. */
    private boolean isWithin(long limitNanos, Lifetime copy, long now, Limits limits) {
        long proven = currentAt(copy.ticket());
        long currentAt = proven - copy.softUntilNanos() > 0 ? copy.softUntilNanos() : proven;
        return now - currentAt <= Math.max(limits.stalenessNanos(), limitNanos);
    }

    /** Returns whether a ticket is from before or within a gap: changes of its copy may have been missed. */
    boolean isFromGap(Ticket ticket) {
        return disconnected || ticket.gaps() != gaps;
    }

    /** Returns whether no change is known since a ticket was taken. */
    boolean isUnchanged(Ticket ticket) {
        return !isClosed && counts.get(ticket.stripe()) == ticket.stamp();
    }

    /**
     * Returns whether the store may have lost the entry of a copy, which may then still answer: the store did not answer for a while
     * after the copy was known to be current, no change is known since, and not counting that while, no more than the bound is over.
     */
    boolean mayBeLost(Ticket ticket) {
        Ended last = ended;
        if (last == null || !last.covers(ticket) || !isUnchanged(ticket)) {
            return false;
        }
        long now = time.monotonicNanos();
        long silent = silence.get().upTo(now) - last.silentNanos();
        return silent > 0 && now - last.completeNanos() - silent <= boundNanos;
    }

    /** Notes that the store has answered this process. On the path of each hit, so it writes only at the end of a silence. */
    void answered() {
        Silence last = silence.get();
        if (last.lasts()) {
            silence.compareAndSet(last, new Silence(last.upTo(time.monotonicNanos()), false, 0));
        }
    }

    /** Notes that the store has not answered this process. */
    void unanswered() {
        Silence last = silence.get();
        if (!last.lasts()) {
            silence.compareAndSet(last, new Silence(last.nanos(), true, time.monotonicNanos()));
        }
    }

    @Override
    public void changed(String key) {
        counts.incrementAndGet(stripe(key));
        VERSION.incrementAndGet(this);
    }

    @Override
    public void changedAll() {
        for (int stripe = 0; stripe < counts.length(); stripe++) {
            counts.incrementAndGet(stripe);
        }
        VERSION.incrementAndGet(this);
    }

    @Override
    public void listening() {
        answered();
        countGap();
        if (disconnected && ended != null) {
            partsWithGap.decrementAndGet();
        }
        disconnected = false;
        complete(time.monotonicNanos(), 0);
        connected.countDown();
    }

    @Override
    public void completeUpTo(LongSupplier ageNanos) {
        if (!disconnected) {
            long now = time.monotonicNanos(); // first: if the process stalls here, the moment appears earlier
            complete(now, ageNanos.getAsLong());
        }
    }

    private void complete(long nowNanos, long ageNanos) {
        completeNanos = nowNanos - ageNanos;
        silentNanos = silence.get().upTo(nowNanos);
        untilNanos = completeNanos + boundNanos;
    }

    @Override
    public void disconnected() {
        boolean wasConnected = !disconnected;
        disconnect();
        if (wasConnected && partsWithGap.getAndIncrement() == 0) {
            onGap.run();
        }
    }

    private void disconnect() {
        untilNanos = time.monotonicNanos() - 1;
        if (!disconnected) {
            disconnected = true;
            ended = new Ended(gaps, completeNanos, silentNanos);
            countGap();
        }
    }

    /** Outdates all tickets, also those that are taken later: no change is noted any more. */
    void close() {
        isClosed = true;
        disconnect();
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time reports gaps
    private void countGap() {
        gaps++;
        VERSION.incrementAndGet(this);
    }

    private int stripe(String key) {
        int hash = key.hashCode() * 0x9E3779B9; // spreads keys that differ only in their last characters
        return (hash ^ hash >>> 16) & (counts.length() - 1);
    }
}
