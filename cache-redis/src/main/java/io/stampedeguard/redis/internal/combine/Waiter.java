package io.stampedeguard.redis.internal.combine;

import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.time.TimeSource;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A caller of a {@link Combiner} that was not alone. Each of its steps is one compare-and-set. It is woken once: answered, to send, or
 * to go alone.
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
        /** In a batch that was closed, and answered if it was woken. */
        SENT,
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

    /** Waits until it is woken, without a timer of its own. */
    void await(TimeSource time) throws InterruptedException {
        time.await(woken, FOREVER);
    }

    /** Wakes it, since it was answered. */
    void wake() {
        woken.countDown();
    }

    /** Leaves unless it is to send; returns the state. */
    State leave() {
        if (!move(State.WAITING, State.LEFT)
                && !move(State.TAKEN, State.LEFT)) { // in the order in which they follow each other
            move(State.SENT, State.LEFT);
        }
        return state.get();
    }
}
