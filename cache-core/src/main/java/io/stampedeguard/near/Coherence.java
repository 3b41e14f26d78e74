package io.stampedeguard.near;

import io.stampedeguard.store.Changes;
import io.stampedeguard.time.TimeSource;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.LongSupplier;

/**
 * Knows which copies may still be answered:
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
 * <p><em>Thread-safe</em>, if one thread at a time tells of gaps; nothing here blocks. Whether a ticket is covered costs two volatile reads.
 */
final class Coherence implements Changes.Listener {
    private final AtomicIntegerArray counts;
    private final TimeSource time;
    private final long boundNanos;
    private volatile Hearing hearing;

    /**
     * What is known of the changes.
     *
     * @param gaps how often changes may have been missed: counted when a gap begins, and when it ends
     * @param until up to when copies may be answered
     * @param deaf whether changes may be missed now
     */
    private record Hearing(int gaps, long until, boolean deaf) {}

    /** Makes one that covers nothing until it is told that it hears. */
    Coherence(int stripes, long boundNanos, TimeSource time) {
        this.counts = new AtomicIntegerArray(stripes);
        this.boundNanos = boundNanos;
        this.time = time;
        long now = time.monotonicNanos();
        this.hearing = new Hearing(0, now - 1, true);
    }

    Ticket open(String storeKey) {
        int stripe = stripe(storeKey);
        return new Ticket(storeKey, stripe, counts.get(stripe), hearing.gaps, time.monotonicNanos());
    }

    /** Tells whether what was read under a ticket may be answered as if the store had been asked. */
    boolean covers(Ticket ticket, long nowNanos) {
        Hearing now = hearing;
        return nowNanos - now.until <= 0 && ticket.gaps() == now.gaps && isUnchanged(ticket);
    }

    /** Tells whether no change is known since a ticket was taken. */
    boolean isUnchanged(Ticket ticket) {
        return counts.get(ticket.stripe()) == ticket.stamp();
    }

    @Override
    public void changed(String key) {
        counts.incrementAndGet(stripe(key));
    }

    @Override
    public void changedAll() {
        for (int stripe = 0; stripe < counts.length(); stripe++) {
            counts.incrementAndGet(stripe);
        }
    }

    @Override
    public void listening() {
        hearing = new Hearing(hearing.gaps + 1, time.monotonicNanos() + boundNanos, false);
    }

    @Override
    public void heardAllBefore(LongSupplier ageNanos) {
        Hearing before = hearing;
        if (!before.deaf) {
            long now = time.monotonicNanos(); // first: a process that stands still here believes in less
            hearing = new Hearing(before.gaps, now - ageNanos.getAsLong() + boundNanos, false);
        }
    }

    @Override
    public void deaf() {
        hearing = new Hearing(hearing.gaps + 1, time.monotonicNanos() - 1, true);
    }

    private int stripe(String key) {
        int hash = key.hashCode() * 0x9E3779B9; // spreads keys that differ in their last characters only
        return (hash ^ hash >>> 16) & (counts.length() - 1);
    }
}
