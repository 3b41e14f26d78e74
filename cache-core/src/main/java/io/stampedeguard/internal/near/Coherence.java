package io.stampedeguard.internal.near;

import io.stampedeguard.internal.near.Copy.Ticket;
import io.stampedeguard.store.InvalidationEvents;
import io.stampedeguard.time.TimeSource;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
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
 *   <li>When the store ends the connection, copies are not covered any more, but remain known as those of that run of the store,
 *       for a minute, or until the same run reports changes again, or the next connection ends: a restart may have lost their
 *       entries. When the store first answered after that is noted: it shows whether the store had stopped at all ({@link
 *       EndedRun}). Nothing is known if no moment was confirmed for some seconds before the end: this process may have stalled,
 *       and the connection may have ended long before the store stopped.
 * </ol>
 *
 * <p><em>Thread-safe</em>, provided that only one thread at a time reports gaps; no method blocks. To check a copy costs two
 * volatile reads, plus one comparison of its ticket after each change of any key.
 */
final class Coherence implements InvalidationEvents.Listener {
    /** After it has ended a connection, answers of the store may still be on their way for so long. */
    private static final long LATE_ANSWERS_NANOS = 1_000_000_000;

    /** A moment is confirmed each second, and a silent connection is given up before this. */
    private static final long LONGEST_UNPROVEN_NANOS = 5_000_000_000L;

    /** The connection may have ended for another reason, long before its server: what that changes until it stops is missed. */
    private static final long LONGEST_ENDED_NANOS = 60_000_000_000L;

    private static final AtomicIntegerFieldUpdater<Coherence> VERSION =
            AtomicIntegerFieldUpdater.newUpdater(Coherence.class, "version");

    private final int part;
    private final AtomicIntegerArray counts;
    private final TimeSource time;
    private final long boundNanos;
    /** Incremented after all that may outdate a copy: one that was valid at this version is valid while it is unchanged. */
    private volatile int version = 1;

    private volatile int gaps;
    private volatile long untilNanos;
    /** When no change was known to be missing for the last time. */
    private volatile long completeNanos;

    private volatile boolean disconnected = true;
    private final CountDownLatch connected = new CountDownLatch(1);
    /** The run of the store that reports changes, or did so last; for the thread that reports gaps. */
    private @Nullable String run;

    private volatile @Nullable Ended ended;

    /** The run of the store that had a copy's entry, and for how long the store has answered again; zero if not known. */
    record EndedRun(String run, long answeringNanos) {}

    /** The end of a connection to a run of the store, and the number of gaps before. <em>Thread-safe.</em> */
    private static final class Ended {
        private final String run;
        private final int gaps;
        private final long atNanos;
        private volatile long answeredNanos;
        private volatile boolean answered;

        Ended(String run, int gaps, long atNanos) {
            this.run = run;
            this.gaps = gaps;
            this.atNanos = atNanos;
        }

        /** Returns whether a ticket was taken on that connection, or since then without another one. */
        boolean covers(Ticket ticket) {
            return ticket.gaps() == gaps || ticket.gaps() == gaps + 1;
        }

        void answered(long nowNanos) {
            if (nowNanos - atNanos >= LATE_ANSWERS_NANOS) {
                answeredNanos = nowNanos;
                answered = true;
            }
        }

        boolean isRecent(long nowNanos) {
            return nowNanos - atNanos < LONGEST_ENDED_NANOS;
        }

        EndedRun at(long nowNanos) {
            return new EndedRun(run, answered ? nowNanos - answeredNanos : 0);
        }
    }

    /** Creates an instance that covers no copy until changes are reported. */
    Coherence(int part, int stripes, long boundNanos, TimeSource time) {
        this.part = part;
        this.counts = new AtomicIntegerArray(stripes);
        this.boundNanos = boundNanos;
        this.time = time;
        this.untilNanos = time.monotonicNanos() - 1;
        this.completeNanos = untilNanos;
    }

    /** Waits until changes are reported for the first time, or until a (monotonic) time, or an interrupt. */
    void awaitListening(long untilNanos) {
        long left = untilNanos - time.monotonicNanos();
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
        return new Ticket(storeKey, part, stripe, counts.get(stripe), gaps, time.monotonicNanos());
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
    long currentAt(Ticket ticket) {
        long opened = ticket.openedNanos();
        long complete = completeNanos;
        boolean isOfLastConnection = ticket.gaps() == (disconnected ? gaps - 1 : gaps);
        return isOfLastConnection && complete - opened > 0 ? complete : opened;
    }

    /** Returns whether a ticket is from before a gap that is over, so that changes of its copy may have been missed. */
    boolean isSuspect(Ticket ticket) {
        return !disconnected && ticket.gaps() != gaps;
    }

    /**
     * Returns whether a read that has not found the entry of a copy shows that the copy is outdated: it is from before or within a
     * gap, was not read later, and is not of a run of the store that has ended and may have lost the entry.
     */
    boolean isDisprovedByAbsence(Ticket ticket, Ticket read) {
        return isFromGap(ticket) && ticket.openedNanos() - read.openedNanos() <= 0 && endedRun(ticket) == null;
    }

    /** Returns whether a ticket is from before or within a gap: changes of its copy may have been missed. */
    boolean isFromGap(Ticket ticket) {
        return disconnected || ticket.gaps() != gaps;
    }

    /** Returns whether no change is known since a ticket was taken. */
    boolean isUnchanged(Ticket ticket) {
        return counts.get(ticket.stripe()) == ticket.stamp();
    }

    /** Returns the run of the store that had a copy's entry when it ended the connection; {@code null} if that is not known. */
    @Nullable
    EndedRun endedRun(Ticket ticket) {
        Ended last = ended;
        if (last == null || !last.covers(ticket) || !isUnchanged(ticket)) {
            return null;
        }
        long now = time.monotonicNanos();
        return last.isRecent(now) ? last.at(now) : null;
    }

    /** Notes that the store has answered a read. */
    void answered() {
        Ended last = ended;
        if (last != null && !last.answered) {
            last.answered(time.monotonicNanos());
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
        listening(null);
    }

    @Override
    public void listening(@Nullable String current) {
        Ended last = ended;
        if (last != null && (!disconnected || current == null || current.equals(last.run))) {
            ended = null;
        }
        run = current;
        countGap();
        disconnected = false;
        completeNanos = time.monotonicNanos();
        untilNanos = completeNanos + boundNanos;
        connected.countDown();
    }

    @Override
    public void completeUpTo(LongSupplier ageNanos) {
        if (!disconnected) {
            long now = time.monotonicNanos(); // first: if the process stalls here, the moment appears earlier
            completeNanos = now - ageNanos.getAsLong();
            untilNanos = completeNanos + boundNanos;
        }
    }

    @Override
    public void disconnected() {
        untilNanos = time.monotonicNanos() - 1;
        if (!disconnected) {
            disconnected = true;
            ended = null;
            countGap();
        }
    }

    @Override
    public void ended() {
        String last = run;
        int before = gaps;
        long now = time.monotonicNanos();
        boolean wasProven = !disconnected && now - completeNanos < LONGEST_UNPROVEN_NANOS;
        disconnected();
        if (wasProven && last != null) {
            ended = new Ended(last, before, now);
        }
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
