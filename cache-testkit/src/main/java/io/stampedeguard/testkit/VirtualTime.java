package io.stampedeguard.testkit;

import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A clock and its timers, advanced by a test only. Give the same one to the store and to all caches on it:
 * <pre>{@code
 * VirtualTime time = new VirtualTime();
 * FaultyStore store = FaultyStore.create(time);
 * builder.store(store).timeSource(time);
 * time.advance(Duration.ofHours(1)); // an hour later, at once
 * }</pre>
 *
 * <p>Threads that wait through it wait for this clock: each checks every real millisecond whether the clock has reached its end.
 * This includes a thread that closes a cache while a load runs: end the load first, or interrupt the thread.
 * <em>Thread-safe.</em>
 */
public final class VirtualTime implements TimeSource {
    private static final long START_MILLIS = 1_800_000_000_000L;

    private final AtomicLong nanos = new AtomicLong();
    private final Set<Waiter> waiters = ConcurrentHashMap.newKeySet();
    private final Set<VirtualTimer> timers = ConcurrentHashMap.newKeySet();

    /** Creates a clock that stands still at an arbitrary time. */
    public VirtualTime() {}

    /** Not a record: each wait is equal to itself only. */
    private static final class Waiter {
        private final CountDownLatch latch;
        private final long endNanos;

        private Waiter(CountDownLatch latch, long endNanos) {
            this.latch = latch;
            this.endNanos = endNanos;
        }
    }

    private final class VirtualTimer implements Timer {
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

        private long atNanos() {
            return atNanos;
        }

        private void run() {
            if (timers.remove(this)) {
                task.run();
            }
        }
    }

    /**
     * Advances the clock in one step; then runs the timers that are due, on this thread, in the order of their times. Timers that
     * these set run at a later call.
     *
     * @param length how much later it is then
     */
    public void advance(Duration length) {
        long now = nanos.addAndGet(length.toNanos());
        timers.stream()
                .filter(timer -> now - timer.atNanos() >= 0)
                .sorted(Comparator.comparingLong(VirtualTimer::atNanos))
                .forEach(VirtualTimer::run);
    }

    /** {@return how many timers are set} */
    public int timers() {
        return timers.size();
    }

    /**
     * Waits, in real time, until a number of threads wait through this clock, so that the next {@link #advance} reaches them.
     *
     * @param threads the number, exactly
     * @throws InterruptedException if the thread is interrupted
     * @throws AssertionError if this takes longer than a minute: then the threads that should wait hang elsewhere
     */
    public void awaitWaiting(int threads) throws InterruptedException {
        RealTime.await(() -> waiting() == threads, () -> waiting() + " threads are waiting, not " + threads);
    }

    /** {@return how many threads wait for the clock, without those whose time has come} */
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

    @Override
    public String toString() {
        return "VirtualTime[" + Duration.ofNanos(nanos.get()) + " after its start]";
    }
}
