package io.stampedeguard.internal.flight;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.internal.thread.Handover;
import io.stampedeguard.internal.thread.WakeUpTree;
import io.stampedeguard.time.TimeSource;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One load of one key in this process, as its leader sees it; followers see its result through their {@link Membership}. A flight
 * completes once: the first to complete it, its leader or the timer of the {@code loadTimeout}, decides the result.
 * <em>Thread-safe</em>, but only the leader may begin attempts.
 */
public final class Flight<R> {
    private static final Handover COMPLETED = new Handover(() -> {}, null);

    private static final WakeUpTree RELEASED = new WakeUpTree();

    static {
        RELEASED.release();
    }

    /**
     * The followers that wait with a thread, from the first of them on; {@link #RELEASED} if there was none until the completion.
     * Releasing it costs the leader no more for a thousand followers than for two.
     */
    private final AtomicReference<@Nullable WakeUpTree> asleep = new AtomicReference<>();

    private final AtomicReference<@Nullable Completion<R>> completion = new AtomicReference<>();

    /** The tasks of followers that wait without a thread; {@link #COMPLETED} once they have been handed over. */
    private final AtomicReference<@Nullable Handover> waiting = new AtomicReference<>();

    private final SingleFlight<R> flights;
    private final String key;
    private final AtomicInteger followers = new AtomicInteger();
    private volatile int attempts;

    /** Whether its leader is past completing it. False for the flights of leaders that are still at work. */
    volatile boolean isLeft;

    /** Whether another thread completes it, in place of its leader. */
    volatile boolean isHandedOver;

    /** Whether it has completed, and all its followers were notified. */
    volatile boolean isOver;

    private volatile int lastJoin = -1;

    /** Whether the leader has found nothing so far; it begins once, and ends for good. */
    private enum Miss {
        UNKNOWN,
        BEGUN,
        OVER
    }

    private long missBeganNanos; // written before the miss has begun
    private volatile Miss miss = Miss.UNKNOWN;

    /** A result, valid for callers that joined before this attempt; without a lease, for those without the store, too. */
    private record Completion<R>(@Nullable R result, int joinedBefore, boolean leased, long atNanos) {}

    private static final Completion<?> EMPTY = new Completion<>(null, 0, true, 0);

    Flight(SingleFlight<R> flights, String key) {
        this.flights = flights;
        this.key = key;
    }

    /** Begins an attempt, before the store or the loader is asked: the answer is not valid for callers that join from now on. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // only the leader writes
    public void beginAttempt() {
        attempts++;
    }

    /**
     * Returns whether a caller joined after the last {@link #beginAttempt}: an answer to that attempt is not valid for it. A
     * caller that joins concurrently may be missed.
     */
    public boolean hasLatecomers() {
        return lastJoin >= attempts;
    }

    /** Notes that the leader, who has found nothing so far, requests the lease. Only the first request counts. */
    public void beginMiss() {
        if (miss == Miss.UNKNOWN) {
            missBeganNanos = flights.nanos.getAsLong();
            miss = Miss.BEGUN;
        }
    }

    /** Notes that the request had no answer, or that there is an entry. */
    public void endMiss() {
        miss = Miss.OVER;
    }

    boolean hasMissBegunWithin(long nanos) {
        return miss == Miss.BEGUN && flights.nanos.getAsLong() - missBeganNanos <= nanos;
    }

    /** Removes this flight from the map: no caller joins it any more. */
    public void detach() {
        flights.remove(key, this);
    }

    /** Leaves the completion to another thread, which completes it in any case. For the leader. */
    public void handOver() {
        isHandedOver = true;
    }

    /** Completes with a result that is valid for every caller that joined. No effect if the flight has completed. */
    public void completeForAll(R result) {
        complete(result, Integer.MAX_VALUE, true);
    }

    /** As {@link #completeForAll}, but valid only for callers that joined before the last {@link #beginAttempt}; others retry. */
    public void completeForEarly(R result) {
        complete(result, attempts, true);
    }

    /** As {@link #completeForEarly}, for a load without a lease: also valid for callers to which the store did not answer. */
    public void completeUnleased(R result) {
        complete(result, attempts, false);
    }

    /** Completes without a result: every follower retries. Allocates nothing. A result that the flight already has stays. */
    @SuppressWarnings("unchecked") // it has no result
    public void completeEmpty() {
        complete((Completion<R>) EMPTY);
    }

    private void complete(@Nullable R result, int joinedBefore, boolean leased) {
        complete(new Completion<>(result, joinedBefore, leased, flights.nanos.getAsLong()));
    }

    private void complete(Completion<R> with) {
        detach();
        completion.compareAndSet(null, with);
        // What follows happens in any case: a leader without room on the stack may have come no further.
        if (!asleep.compareAndSet(null, RELEASED)) {
            requireNonNull(asleep.get()).release();
        }
        Handover notified = waiting.getAndSet(COMPLETED);
        if (notified != null && notified != COMPLETED) {
            notified.runOn(flights.executor);
        }
        isOver = true;
    }

    /** Adds a follower; returns how many attempts had begun. */
    int addFollower() {
        int before = attempts;
        followers.incrementAndGet();
        lastJoin = before; // of two concurrent callers the earlier may be noted: the other retries
        return before;
    }

    /** Returns how many callers wait for its completion, besides its leader, with a thread or without. */
    public int followers() {
        return followers.get();
    }

    /** A caller's part in a flight: whether it must complete it, and the attempts begun before it joined. <em>Immutable.</em> */
    public record Membership<R>(Flight<R> flight, boolean leads, int joinedAt) {
        /** Waits until the flight has completed or the time is over; returns whether it has completed. */
        public boolean await(TimeSource time, long nanos) throws InterruptedException {
            WakeUpTree tree = flight.asleep.get();
            if (tree == null) {
                WakeUpTree first = new WakeUpTree();
                tree = flight.asleep.compareAndSet(null, first) ? first : requireNonNull(flight.asleep.get());
            }
            return tree.await(time, nanos);
        }

        boolean isCompleted() {
            WakeUpTree tree = flight.asleep.get();
            return tree != null && tree.isReleased();
        }

        /** Leaves the flight: this follower no longer waits for its completion. */
        public void leave() {
            flight.followers.decrementAndGet();
        }

        /**
         * Runs a task on the executor of the flights when the flight completes, so that waiting does not block a thread; returns
         * false if the flight has completed, and never runs it then. The leader hands over all such tasks at once. A task must
         * not block for long, because others may wait behind it.
         */
        public boolean whenCompleted(Runnable task) {
            while (true) {
                Handover before = flight.waiting.get();
                if (before == COMPLETED) {
                    return false;
                }
                if (flight.waiting.compareAndSet(before, new Handover(task, before))) {
                    return true;
                }
            }
        }

        /** Returns when the flight completed, by the clock of the flights. Valid after its completion. */
        public long completedNanos() {
            Completion<R> how = flight.completion.get();
            return how == null ? flight.flights.nanos.getAsLong() : how.atNanos;
        }

        /** Returns the flight's result for this caller; {@code null} if it must retry. Valid after the flight's completion. */
        public @Nullable R result() {
            Completion<R> how = flight.completion.get();
            return how != null && joinedAt < how.joinedBefore ? how.result : null;
        }

        /** Otherwise identical to {@link #result}, but {@code null} also if the last attempt began before this caller joined. */
        public @Nullable R resultOfLaterAttempt() {
            Completion<R> how = flight.completion.get();
            return how != null && joinedAt < flight.attempts ? how.result : null;
        }

        /** Otherwise identical to {@link #result}, for a caller that the store did not answer. */
        public @Nullable R resultWithoutStore() {
            Completion<R> how = flight.completion.get();
            return how != null && !how.leased ? how.result : result();
        }
    }
}
