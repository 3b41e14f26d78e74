package io.stampedeguard.redis.internal.combine;

import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.time.TimeSource;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A caller of a {@link Combiner} that was not alone. It is woken once: answered, or to send. Those that a batch answers are woken as a
 * tree: its sender wakes two of them, and each wakes two more when its wait ends. No wake-up is lost:
 *
 * <ul>
 *   <li>a waiter is answered after those that it is to wake have been answered, or have left;
 *   <li>it is answered or leaves, by one compare-and-set. If it was answered, it wakes others, however its wait ends; if it has left,
 *       whoever would have woken it wakes these in its place;
 *   <li>answering and waking allocate nothing.
 * </ul>
 *
 * @param <Q> a request
 * @param <A> the answer to one
 */
final class Waiter<Q, A extends @Nullable Object> {
    private static final long FOREVER = Long.MAX_VALUE;

    /** How far a waiter is. */
    enum State {
        /** On the stack. */
        WAITING,
        /** In a batch that was not closed yet. */
        TAKEN,
        /** In a batch that was closed. */
        SENT,
        /** Has its answer or failure. */
        ANSWERED,
        /** Has gone without an answer. */
        LEFT,
        /** Sends a batch as the sender. */
        SENDER,
        /** Sends a batch besides the sender. */
        BESIDES
    }

    final Turn turn;
    final List<?> names;
    final List<Q> requests;

    /** How long it may wait, taken by a sender or not, for its batch to be closed. */
    final long mostTakenNanos;

    /** The one below it on the stack. */
    @Nullable
    Waiter<Q, A> next;

    /** The callers that travel with it if it sends, apart from those that wait; some may have left, or sent, meanwhile. */
    List<Waiter<Q, A>> companions = List.of();

    @Nullable
    List<A> answers;

    @Nullable
    RuntimeException failure;

    boolean goesAlone;

    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
    private final CountDownLatch woken = new CountDownLatch(1);
    private @Nullable Waiter<Q, A> left;
    private @Nullable Waiter<Q, A> right;

    /** A waiter that holds a lease, or requests one, may be taken for {@link WaitingCallers#OVERDUE_NANOS} only. */
    Waiter(Turn turn, List<?> names, List<Q> requests) {
        this.turn = turn;
        this.names = names;
        this.requests = requests;
        this.mostTakenNanos = turn.holdsLease() || turn.isOnce() ? WaitingCallers.OVERDUE_NANOS : FOREVER;
    }

    State state() {
        return state.get();
    }

    boolean move(State from, State to) {
        return state.compareAndSet(from, to);
    }

    /** Moves it, and wakes it; returns false if it was not in the first state. */
    boolean wakeAs(State from, State to) {
        boolean isMoved = move(from, to);
        if (isMoved) {
            woken.countDown();
        }
        return isMoved;
    }

    /** Makes one of some callers a sender, whose batch the others belong to. Those that have left are skipped. */
    static <Q, A extends @Nullable Object> void passOn(List<Waiter<Q, A>> callers) {
        for (int i = 0; i < callers.size(); i++) {
            Waiter<Q, A> caller = callers.get(i);
            caller.companions = callers;
            if (caller.wakeAs(State.TAKEN, State.BESIDES) || caller.wakeAs(State.SENT, State.BESIDES)) {
                return;
            }
        }
    }

    /** Marks it as sent if it belongs to a batch that is to be sent now, and returns whether it does. */
    boolean markSent() {
        return move(State.TAKEN, State.SENT) || state.get() == State.SENT;
    }

    /** Returns how long it has waited at a time, since its patience has begun: without another look at the clock. */
    long waitedNanos(long now) {
        return turn.patienceNanos() - turn.leftNanos(now);
    }

    /**
     * Waits until it is woken, without a timer of its own, and ends the wait. An interrupt ends it as well; but if its request must
     * not be sent again, and is sent, or about to be, it waits for the answer all the same: what that grants would be nobody's.
     */
    void await(TimeSource time) throws InterruptedException {
        boolean isInterrupted = false;
        try {
            while (true) {
                try {
                    time.await(woken, FOREVER);
                    return;
                } catch (InterruptedException e) {
                    if (!turn.isOnce() || !isToBeAnswered()) {
                        throw e;
                    }
                    isInterrupted = true;
                }
            }
        } finally {
            endWait();
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Leaves unless its batch was closed, and returns whether that has an answer for it, or will have one, or a failure. */
    private boolean isToBeAnswered() {
        boolean hasLeft = move(State.WAITING, State.LEFT) || move(State.TAKEN, State.LEFT);
        State present = state.get();
        return !hasLeft && (present == State.SENT || present == State.ANSWERED);
    }

    /** Leaves unless it was woken before, and wakes its next ones if it was answered; returns the state. May be called again. */
    State endWait() {
        boolean hasLeft = move(State.WAITING, State.LEFT) // in the order in which they follow each other
                || move(State.TAKEN, State.LEFT)
                || move(State.SENT, State.LEFT);
        if (!hasLeft && state.get() == State.ANSWERED) {
            wake(left);
            wake(right);
        }
        return state.get();
    }

    /** Wakes the members of a batch from a place on, each of which has its answer or failure, unless it has left or sends. */
    static <Q, A extends @Nullable Object> void wakeAll(List<Waiter<Q, A>> members, int from) {
        for (int i = members.size() - 1; i >= from; i--) {
            Waiter<Q, A> each = members.get(i);
            each.left = at(members, 2 * i - from + 2);
            each.right = at(members, 2 * i - from + 3);
            if (!each.move(State.SENT, State.ANSWERED)) {
                each.move(State.TAKEN, State.ANSWERED);
            }
        }
        wake(at(members, from));
        wake(at(members, from + 1));
    }

    private static <W> @Nullable W at(List<W> members, int place) {
        return place < members.size() ? members.get(place) : null;
    }

    /** Wakes a waiter, or in its place the next ones of one that has left. */
    private static void wake(@Nullable Waiter<?, ?> waiter) {
        Waiter<?, ?> each = waiter;
        while (each != null && each.state.get() != State.ANSWERED) {
            wake(each.left);
            each = each.right;
        }
        if (each != null) {
            each.woken.countDown();
        }
    }
}
