package io.stampedeguard.testkit;

import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A clock that a test advances. Threads that wait through it wait for that clock, not for real time: each checks every
 * real millisecond whether the clock has reached its end. <em>Thread-safe.</em>
 */
public final class VirtualTime implements TimeSource {
    private static final long START_MILLIS = 1_800_000_000_000L;

    private final AtomicLong nanos = new AtomicLong();
    private final Set<Waiter> waiters = ConcurrentHashMap.newKeySet();
    private final Set<VirtualTimer> timers = ConcurrentHashMap.newKeySet();

    /** Not a record: each wait is equal to itself only. */
    private static final class Waiter {
        private final CountDownLatch latch;
        private final long endNanos;

        private Waiter(CountDownLatch latch, long endNanos) {
            this.latch = latch;
            this.endNanos = endNanos;
        }
    }

    private final class VirtualTimer implements Timer, Comparable<VirtualTimer> {
        private final long atNanos;
        private final Runnable task;

        private VirtualTimer(long atNanos, Runnable task) {
            this.atNanos = atNanos;
            this.task = task;
        }

        @Override
        public void stop() {
            timers.remove(this);
        }

        private void run() {
            if (timers.remove(this)) {
                task.run();
            }
        }

        @Override
        public int compareTo(VirtualTimer other) {
            return Long.compare(atNanos, other.atNanos);
        }
    }

    /** Advances the clock in one step; then runs the timers that are due, on this thread. */
    public void advance(Duration length) {
        long now = nanos.addAndGet(length.toNanos());
        timers.stream().filter(timer -> now - timer.atNanos >= 0).sorted().forEach(VirtualTimer::run);
    }

    /** Returns how many timers are set. */
    public int timers() {
        return timers.size();
    }

    /** Waits, in real time, until a number of threads wait through this clock. Fails after a minute. */
    public void awaitWaiting(int threads) throws InterruptedException {
        long giveUp = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        while (waiting() != threads) {
            if (System.nanoTime() - giveUp > 0) {
                throw new AssertionError(waiting() + " threads are waiting, not " + threads);
            }
            Thread.sleep(1);
        }
    }

    /** Returns how many threads wait for the clock, without those whose time has come. */
    public int waiting() {
        long now = nanos.get();
        return (int) waiters.stream()
                .filter(waiter -> waiter.latch.getCount() > 0 && waiter.endNanos - now > 0)
                .count();
    }

    @Override
    public long wallMillis() {
        return START_MILLIS + TimeUnit.NANOSECONDS.toMillis(nanos.get());
    }

    @Override
    public long monotonicNanos() {
        return nanos.get();
    }

    @Override
    public boolean await(CountDownLatch latch, long length) throws InterruptedException {
        Waiter waiter = new Waiter(latch, nanos.get() + length);
        waiters.add(waiter);
        try {
            while (!latch.await(1, TimeUnit.MILLISECONDS)) {
                if (nanos.get() - waiter.endNanos >= 0) {
                    return false;
                }
            }
            return true;
        } finally {
            waiters.remove(waiter);
        }
    }

    @Override
    public Timer schedule(long length, Runnable task) {
        VirtualTimer timer = new VirtualTimer(nanos.get() + length, task);
        timers.add(timer);
        return timer;
    }
}
