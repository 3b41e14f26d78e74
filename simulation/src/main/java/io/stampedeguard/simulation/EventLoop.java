package io.stampedeguard.simulation;

import io.stampedeguard.testbed.program.ThreadKind;
import io.stampedeguard.time.TimeSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.PriorityQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Virtual time, as a queue of events:
 * <ol>
 *   <li>events run in the order of their times, and those of one time in the order in which they were added;
 *   <li>code that blocks runs on a strand, which is a thread that runs only while the loop waits for it, until it parks or ends;
 *   <li>so at most one thread runs at any time, and what happens depends on the inputs only, not on the machine.
 * </ol>
 *
 * <p>Strands are virtual threads if the JVM has them. For one thread, which calls {@link #run}, and the strands that it resumes.
 */
final class EventLoop {
    /** Enough for a {@code get}; thousands of strands may be parked at once. */
    private static final long STACK_BYTES = 256L << 10;

    private static final long LONGEST_NANOS = Long.MAX_VALUE / 4;

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Deque<Strand> idle = new ArrayDeque<>();
    private final ThreadFactory threads;
    private long nowNanos;
    private long added;
    private long busy;
    private @Nullable Strand running;
    private @Nullable Throwable failure;
    private volatile boolean turn;
    private volatile @Nullable Thread driver;

    EventLoop() {
        threads = ThreadKind.VIRTUAL.isAvailable() ? ThreadKind.VIRTUAL.factory() : EventLoop::platformThread;
    }

    private static Thread platformThread(Runnable task) {
        Thread thread = new Thread(null, task, "strand", STACK_BYTES, false);
        thread.setDaemon(true);
        return thread;
    }

    /** A task at a time. Ordered by time, then by the order of addition. */
    private static final class Event implements Comparable<Event>, TimeSource.Timer {
        private final long atNanos;
        private final long number;
        private @Nullable Runnable task;

        Event(long atNanos, long number, Runnable task) {
            this.atNanos = atNanos;
            this.number = number;
            this.task = task;
        }

        @Override
        public void stop() {
            task = null;
        }

        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(atNanos, other.atNanos);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }

    long nowNanos() {
        return nowNanos;
    }

    /** Adds an event; its task must not block. */
    TimeSource.Timer after(long nanos, Runnable task) {
        Event event = new Event(nowNanos + Math.min(Math.max(0, nanos), LONGEST_NANOS), added++, task);
        events.add(event);
        return event;
    }

    /**
     * Runs all events, including those that they add. Throws an {@link IllegalStateException} if strands are parked for ever, or
     * if a task has failed.
     */
    void run() {
        driver = Thread.currentThread();
        for (Event event = events.poll(); event != null; event = events.poll()) {
            Runnable task = event.task;
            if (task != null) {
                event.task = null;
                nowNanos = event.atNanos;
                task.run();
            }
        }
        if (busy != 0) {
            throw new IllegalStateException(busy + " callers are blocked, and no event would wake them");
        }
    }

    /** Returns a strand for a task, not yet running. */
    Strand strand(Runnable task) {
        Strand strand = idle.isEmpty() ? new Strand() : idle.pop();
        strand.task = task;
        busy++;
        return strand;
    }

    /** Returns the strand that calls this; throws an {@link IllegalStateException} if an event calls it, which must not block. */
    Strand current() {
        if (running == null) {
            throw new IllegalStateException("an event must not block");
        }
        return running;
    }

    /** Lets a strand run, and waits until it parks or ends. To be called by events. */
    void resume(Strand strand) {
        running = strand;
        turn = false;
        strand.proceed();
        while (!turn) {
            LockSupport.park(this);
        }
        running = null;
        if (failure != null) {
            throw new IllegalStateException("a simulated process has failed: " + failure, failure);
        }
    }

    /** Ends the threads of all strands. */
    void close() {
        idle.forEach(Strand::proceed);
        idle.clear();
    }

    /** A thread that executes tasks one after the other, whenever the loop lets it. */
    final class Strand implements Runnable {
        private final Thread thread = threads.newThread(this);
        private @Nullable Runnable task;
        private boolean started;
        private volatile boolean mayRun;

        boolean isInterrupted() {
            return thread.isInterrupted();
        }

        /** Returns control to the loop, until that resumes this strand. To be called on this strand. */
        void park() {
            giveBack();
            awaitTurn();
        }

        private void proceed() {
            mayRun = true;
            if (started) {
                LockSupport.unpark(thread);
            } else {
                started = true;
                thread.start();
            }
        }

        @Override
        @SuppressWarnings("CatchingUnchecked") // the loop reports it
        public void run() {
            awaitTurn();
            for (Runnable next = task; next != null; next = task) {
                try {
                    next.run();
                } catch (Throwable e) {
                    failure = e;
                }
                Thread.interrupted();
                task = null;
                busy--;
                idle.push(this);
                giveBack();
                awaitTurn();
            }
        }

        private void giveBack() {
            turn = true;
            LockSupport.unpark(driver);
        }

        /** Keeps the interrupt flag, with which {@code park} would return at once. */
        @SuppressWarnings("ThreadPriorityCheck") // a virtual thread that only spins would stop the loop
        private void awaitTurn() {
            while (!mayRun) {
                if (thread.isInterrupted()) {
                    Thread.yield();
                } else {
                    LockSupport.park(this);
                }
            }
            mayRun = false;
        }
    }
}
