package io.stampedeguard.internal.thread;

import io.stampedeguard.time.TimeSource;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A latch that wakes its waiters as a tree: the releasing thread wakes two of them, and each of these wakes two more before it
 * returns. The waiters of one {@link CountDownLatch} wake each other in a chain, where a wake-up begins when the thread before it
 * runs.
 *
 * <p>A woken thread pops the next waiters from a stack that all share, so one that runs late delays only those that it has popped.
 * No wake-up is lost:
 * <ul>
 *   <li>A waiter is pushed before it looks whether the tree was released, and the tree is released before the stack is looked at.
 *   <li>A waiter is woken, or leaves because of an interrupt, the end of its time, or an exception: whichever comes first. If it has
 *       left, another one is woken in its place; if it was woken, it wakes others, however its wait ends.
 *   <li>A waiter is popped after it was woken. Waking allocates nothing, and needs no more of a thread's stack than waiting.
 * </ul>
 * <em>Thread-safe.</em> Takes no lock. Allocates nothing until somebody waits.
 */
public final class WakeUpTree {
    private static final int WOKEN_BY_EACH = 2;

    private final AtomicReference<@Nullable Waiter> newest = new AtomicReference<>();
    private volatile boolean released;

    private enum Outcome {
        WOKEN,
        LEFT
    }

    /** One wait of one thread. */
    final class Waiter extends CountDownLatch {
        private final AtomicReference<@Nullable Outcome> outcome = new AtomicReference<>();

        /** The next older waiter, apart from some that have left. */
        private volatile @Nullable Waiter next;

        private Waiter() {
            super(1);
        }

        /** Waits until this waiter is woken or the time is over; if it was woken, it then wakes others. */
        void awaitWakeUp(TimeSource time, long nanos) throws InterruptedException {
            try {
                time.await(this, nanos);
            } finally {
                if (!outcome.compareAndSet(null, Outcome.LEFT)) {
                    wakeNext();
                }
            }
        }

        /** Wakes this waiter; returns false if it was woken before, or has left. */
        boolean wake() {
            boolean isFirst = outcome.compareAndSet(null, Outcome.WOKEN);
            countDown();
            return isFirst;
        }

        /** Returns zero as soon as the tree is released: its thread no longer waits for the clock. */
        @Override
        public long getCount() {
            return released ? 0 : super.getCount();
        }
    }

    /** Waits until the tree is released or the time is over, as {@link TimeSource#await} does; returns whether it is released. */
    public boolean await(TimeSource time, long nanos) throws InterruptedException {
        if (released) {
            return true;
        }
        Waiter waiter = add();
        try {
            waiter.awaitWakeUp(time, released ? 0 : nanos);
        } finally {
            if (!released) {
                removeLeft();
            }
        }
        return released;
    }

    /** Adds a waiter. Its thread must look afterwards whether the tree was released. */
    Waiter add() {
        Waiter waiter = new Waiter();
        do {
            waiter.next = newest.get();
        } while (!newest.compareAndSet(waiter.next, waiter));
        return waiter;
    }

    /** Wakes all waiters, and lets later ones return at once. May be called again. */
    public void release() {
        released = true;
        wakeNext();
    }

    /** Returns whether it was released. */
    public boolean isReleased() {
        return released;
    }

    private void wakeNext() {
        int woken = 0;
        Waiter first = newest.get();
        while (first != null && woken < WOKEN_BY_EACH) {
            if (first.wake()) {
                woken++;
            }
            newest.compareAndSet(first, first.next);
            first = newest.get();
        }
    }

    /** Unlinks those that have left, so that a release that comes late keeps none of them. Concurrent calls may leave some. */
    private void removeLeft() {
        for (Waiter each = newest.get(); each != null; each = each.next) {
            Waiter next = each.next;
            while (next != null && next.outcome.get() == Outcome.LEFT) {
                next = next.next;
            }
            each.next = next;
        }
    }

    /** Returns how many waiters it keeps, with some that have left. */
    int size() {
        int size = 0;
        for (Waiter each = newest.get(); each != null; each = each.next) {
            size++;
        }
        return size;
    }
}
