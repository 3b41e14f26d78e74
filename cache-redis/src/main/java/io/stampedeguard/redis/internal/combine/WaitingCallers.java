package io.stampedeguard.redis.internal.combine;

import io.stampedeguard.redis.internal.combine.Waiter.State;
import io.stampedeguard.time.TimeSource;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The callers of a {@link Combiner} that wait for a batch: on a stack, in {@link #taken}, or about to be added to one of them by a
 * sender that is awake. They share one timer, which beats each {@link #FIRST_OVERDUE_NANOS} while there are any: a wait may last longer
 * by one beat. A beat lets the first of them send that is overdue, after {@link #OVERDUE_NANOS} any other one, and those leave whose
 * patience has ended. <em>Thread-safe.</em>
 */
final class WaitingCallers<Q, A extends @Nullable Object> {
    static final long OVERDUE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    static final long FIRST_OVERDUE_NANOS = TimeUnit.MICROSECONDS.toNanos(250);

    private final TimeSource time;
    /** The top of the stack. */
    private final AtomicReference<@Nullable Waiter<Q, A>> newest = new AtomicReference<>();

    /** The next beat; {@code null} if none is set. */
    private final AtomicReference<@Nullable Object> set = new AtomicReference<>();

    /** The one that came first. */
    private final AtomicReference<@Nullable Waiter<Q, A>> first = new AtomicReference<>();

    /** The companions of each sender whose batch was not closed yet. */
    private final Queue<List<Waiter<Q, A>>> taken = new ConcurrentLinkedQueue<>();

    private volatile boolean isSomeoneBrief;

    /** When to look at all callers; for the thread of the timer. */
    private long lookNanos;

    WaitingCallers(TimeSource time) {
        this.time = time;
        this.lookNanos = time.monotonicNanos();
    }

    /** Pushes a caller onto the stack. */
    void push(Waiter<Q, A> caller) {
        do {
            caller.next = newest.get();
        } while (!newest.compareAndSet(caller.next, caller));
    }

    /** Makes the caller that came last a sender: it may not even sleep yet, and all others travel with it. */
    boolean wakeNewestAs(State sender) {
        for (Waiter<Q, A> each = newest.get(); each != null; each = each.next) {
            if (each.wakeAs(State.WAITING, sender)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a caller waits that no sender has taken. */
    boolean areThere() {
        Waiter<Q, A> each = newest.get();
        while (each != null && each.state() != State.WAITING) {
            each = each.next;
        }
        return each != null;
    }

    /** Takes all callers off the stack, and adds those that wait to others. Those for which there is no memory leave. */
    void takeTo(List<Waiter<Q, A>> others) {
        int from = others.size();
        Waiter<Q, A> each = newest.getAndSet(null);
        try {
            while (each != null) {
                others.add(each); // first: nobody is taken and forgotten
                if (!each.move(State.WAITING, State.TAKEN)) {
                    others.remove(others.size() - 1);
                }
                each = each.next;
            }
        } finally {
            for (; each != null; each = each.next) { // after an error only: nobody else knows them
                each.wakeAs(State.WAITING, State.LEFT);
            }
        }
        Collections.reverse(others.subList(from, others.size())); // first come, first served
    }

    /** Watches callers that were taken, until their batch is closed. */
    void watchTaken(List<Waiter<Q, A>> callers) {
        taken.add(callers);
        begin();
    }

    /** Ends that: from now on, none of them leaves because its patience has ended. */
    void forgetTaken(List<Waiter<Q, A>> callers) {
        taken.remove(callers);
    }

    /** Watches a caller that was pushed. */
    void watch(Waiter<Q, A> caller) {
        if (caller.next == null) {
            first.set(caller);
        }
        if (caller.turn.patienceNanos() < OVERDUE_NANOS) {
            isSomeoneBrief = true;
        }
        begin();
    }

    private void begin() {
        Object beat = new Object();
        if (set.get() == null && set.compareAndSet(null, beat)) {
            try {
                time.schedule(FIRST_OVERDUE_NANOS, () -> beat(beat));
            } catch (RuntimeException
                    | OutOfMemoryError unable) { // no thread: senders wake them, and the next caller tries it
                set.set(null);
            }
        }
    }

    /** Does nothing if it was given up: a timer without a thread may run it later all the same. */
    private void beat(Object beat) {
        if (!beat.equals(set.get())) {
            return;
        }
        Waiter<Q, A> oldest = first.get();
        try {
            long now = time.monotonicNanos();
            if (oldest != null && oldest.waitedNanos(now) >= FIRST_OVERDUE_NANOS) {
                oldest.wakeAs(State.WAITING, State.BESIDES);
            }
            if (isSomeoneBrief || now - lookNanos >= 0) {
                isSomeoneBrief = false;
                look(now);
            }
        } finally {
            set.set(null);
            if (areThere() || !taken.isEmpty()) {
                begin();
            } else {
                first.compareAndSet(oldest, null);
            }
        }
    }

    /** Looks at each caller; the next time when one of them is overdue, or its patience ends. */
    private void look(long now) {
        Waiter<Q, A> due = null;
        long nextNanos = OVERDUE_NANOS;
        for (Waiter<Q, A> each = newest.get(); each != null; each = each.next) {
            long leftNanos = Math.min(each.turn.leftNanos(now), OVERDUE_NANOS - each.waitedNanos(now));
            if (each.state() == State.WAITING) {
                due = leftNanos <= 0 ? each : due;
                nextNanos = Math.min(nextNanos, leftNanos);
            }
        }
        if (due != null) {
            due.wakeAs(State.WAITING, State.BESIDES); // the oldest: all others travel with it
        }
        for (List<Waiter<Q, A>> companions : taken) {
            for (Waiter<Q, A> each : companions) {
                long leftNanos = Math.min(each.turn.leftNanos(now), each.mostTakenNanos - each.waitedNanos(now));
                boolean goesAlone = leftNanos <= 0 && each.wakeAs(State.TAKEN, State.LEFT);
                if (!goesAlone && each.state() == State.TAKEN) {
                    nextNanos = Math.min(nextNanos, leftNanos);
                }
            }
        }
        lookNanos = now + nextNanos;
    }
}
