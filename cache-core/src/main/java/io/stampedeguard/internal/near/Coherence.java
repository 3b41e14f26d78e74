package io.stampedeguard.internal.near;

import io.stampedeguard.store.InvalidationEvents;
import io.stampedeguard.time.TimeSource;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.LongSupplier;

/**
 * Knows which copies of one part of the store may still be answered:
 *
 * <ol>
 *   <li>changes are counted, each under its key's stripe. Who reads the store takes a {@link Ticket} before, with the count;
 *       once the count is another, what was read may be old. Of keys that share a stripe the change of one makes the copies
 *       of all be read again, which costs a read and does no harm;
 *   <li>so a value that was read before a change cannot be answered after it was told, whenever its copy is put;
 *   <li>gaps are counted, in which changes may have been missed: copies from before the last gap, or from within, are not
 *       covered: they are read again, each when it is asked for;
 *   <li>the store proves again and again up to when nothing is missing. When that is longer ago than the bound, nothing is
 *       covered.
 * </ol>
 *
 * <p><em>Thread-safe</em>, if one thread at a time tells of gaps; nothing here blocks. Whether a copy is covered costs two
 * volatile reads, and the comparison of its ticket once after each change of any key.
 */
final class Coherence implements InvalidationEvents.Listener {
    private static final AtomicIntegerFieldUpdater<Coherence> VERSION =
            AtomicIntegerFieldUpdater.newUpdater(Coherence.class, "version");

    private final int part;
    private final AtomicIntegerArray counts;
    private final TimeSource time;
    private final long boundNanos;
    /** Grows with everything that may outdate a copy, after it: what was good at this version is good as long as it stands. */
    private volatile int version = 1;

    private volatile int gaps;
    private volatile long untilNanos;
    private volatile boolean disconnected = true;

    /** Creates one that covers nothing until it is told that it hears. */
    Coherence(int part, int stripes, long boundNanos, TimeSource time) {
        this.part = part;
        this.counts = new AtomicIntegerArray(stripes);
        this.boundNanos = boundNanos;
        this.time = time;
        this.untilNanos = time.monotonicNanos() - 1;
    }

    Ticket open(String storeKey) {
        int stripe = stripe(storeKey);
        return new Ticket(storeKey, part, stripe, counts.get(stripe), gaps, time.monotonicNanos());
    }

    /** Returns whether a copy may be answered as if the store had been asked. */
    boolean covers(Copy<?> copy, long nowNanos) {
        return nowNanos - untilNanos <= 0 && (copy.checkedAt() == version || check(copy));
    }

    private boolean check(Copy<?> copy) {
        int before = version; // first: a change that comes meanwhile makes it another
        Ticket ticket = copy.lifetime().ticket();
        boolean good = ticket.gaps() == gaps && isUnchanged(ticket);
        if (good) {
            copy.checkedAt(before);
        }
        return good;
    }

    /** Returns whether no change is known since a ticket was taken. */
    boolean isUnchanged(Ticket ticket) {
        return counts.get(ticket.stripe()) == ticket.stamp();
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
        countGap();
        disconnected = false;
        untilNanos = time.monotonicNanos() + boundNanos;
    }

    @Override
    public void completeUpTo(LongSupplier ageNanos) {
        if (!disconnected) {
            long now = time.monotonicNanos(); // first: a process that stands still here believes in less
            untilNanos = now - ageNanos.getAsLong() + boundNanos;
        }
    }

    @Override
    public void disconnected() {
        disconnected = true;
        untilNanos = time.monotonicNanos() - 1;
        countGap();
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time tells of gaps
    private void countGap() {
        gaps++;
        VERSION.incrementAndGet(this);
    }

    private int stripe(String key) {
        int hash = key.hashCode() * 0x9E3779B9; // spreads keys that differ in their last characters only
        return (hash ^ hash >>> 16) & (counts.length() - 1);
    }
}
