package io.stampedeguard.internal.call;

import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.failure.Thrown;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.spi.FleetMembers;
import io.stampedeguard.internal.spi.FleetMembers.Membership;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.thread.BackgroundTasks;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.concurrent.CountDownLatch;

/**
 * This process's share of the loads that may run at once in the whole fleet ({@code originBudget}), as the limit of its
 * {@link LoadPermits}:
 * <ol>
 *   <li>Each process announces itself in the store every one to two seconds. The answer is how many processes live, and how many
 *       of them come before this one.
 *   <li>Its share is the budget divided by their number; the first of them take one more each, until nothing is left over. It is
 *       at least 1, and at most {@code maxConcurrentLoads}.
 *   <li>A lower share applies at once, a higher one when five answers in a row agree: meanwhile each live process has announced
 *       itself, even if the store had lost all of them, and its own circuit breaker closed last. The first answer applies at once.
 *   <li>While the store does not answer, the last share applies; before its first answer, 1.
 *   <li>A process that is closed removes itself; one that has died is removed ten seconds after it last announced itself.
 * </ol>
 *
 * <p><em>Thread-safe</em>; announcements run one after another, on a thread of their own.
 */
public final class FleetBudget {
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);
    private static final Duration LIFE = Duration.ofSeconds(10);
    private static final Duration FAREWELL = Duration.ofSeconds(1);
    private static final int ANSWERS_THAT_AGREE = 5;

    private final String process = LeaseToken.next().toString();
    private final String cache;
    private final int budget;
    private final int maxConcurrentLoads;
    private final FleetMembers fleet;
    private final LoadPermits permits;
    private final BackgroundTasks beats; // no other task delays them
    private final TimeSource time;
    private final CacheEvents events;

    /** The shares by the last answers; used by one task at a time. */
    private final Deque<Integer> shares = new ArrayDeque<>();

    private volatile int processes;
    private volatile boolean closed;

    /** Creates the share of one cache, with one permit, not yet announced. */
    public FleetBudget(CacheContext context, int budget, FleetMembers fleet, LoadPermits permits) {
        this.cache = context.name();
        this.budget = budget;
        this.maxConcurrentLoads = context.policy().maxConcurrentLoads();
        this.fleet = fleet;
        this.permits = permits;
        this.beats = new BackgroundTasks(cache, "budget", context.time());
        this.time = context.time();
        this.events = context.events();
        permits.limit(1);
    }

    /** Announces this process, and goes on to do so. Does not block. */
    public void open() {
        if (!closed && !beats.run(this::beat)) {
            openLater();
        }
    }

    private void openLater() {
        double share = (1 + time.random()) / 2; // half to all of it
        time.schedule((long) (share * (double) LONGEST_PAUSE.toNanos()), this::open);
    }

    @SuppressWarnings("CatchingUnchecked") // user callback
    private void beat() {
        if (closed) {
            return;
        }
        try {
            apply(fleet.beat(cache, process, LIFE));
        } catch (Throwable e) { // whatever a store throws
            Thrown.rethrowFatal(e);
            events.fault(FaultSource.STORE, e);
        } finally {
            openLater();
        }
    }

    private void apply(Membership membership) {
        processes = membership.processes();
        shares.add(share(membership));
        if (shares.size() > ANSWERS_THAT_AGREE) {
            shares.remove();
        }
        permits.limit(Collections.min(shares));
    }

    private int share(Membership membership) {
        int equal = budget / membership.processes();
        int own = membership.rank() < budget % membership.processes() ? equal + 1 : equal;
        return Math.max(1, Math.min(own, maxConcurrentLoads));
    }

    /** Returns the last known number of live processes; 0 before the first answer of the store. */
    public int processes() {
        return processes;
    }

    /** Removes this process; waits for the store to do so, for up to a second. Otherwise it is removed when its time is over. */
    public void close() {
        closed = true;
        CountDownLatch over = new CountDownLatch(1);
        boolean runs = beats.run(() -> leave(over));
        beats.close();
        if (runs) {
            try {
                time.await(over, FAREWELL.toNanos());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @SuppressWarnings("CatchingUnchecked") // user callback
    private void leave(CountDownLatch over) {
        try {
            fleet.leave(cache, process);
        } catch (Throwable e) { // whatever a store throws
            Thrown.rethrowFatal(e);
            events.fault(FaultSource.STORE, e);
        } finally {
            over.countDown();
        }
    }
}
