package io.stampedeguard.time;

import java.util.Map;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The machine's clocks. */
final class SystemTime implements TimeSource {
    static final SystemTime INSTANCE = new SystemTime();

    private final Timers timers = new Timers();

    private SystemTime() {}

    @Override
    public long wallMillis() {
        return System.currentTimeMillis();
    }

    @Override
    public long monotonicNanos() {
        return System.nanoTime();
    }

    @Override
    public boolean await(CountDownLatch latch, long nanos) throws InterruptedException {
        if (nanos == Long.MAX_VALUE) {
            latch.await(); // sets no timer, which a virtual thread would pay for
            return true;
        }
        return latch.await(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public Timer schedule(long nanos, Runnable task) {
        return timers.schedule(nanos, task);
    }

    /**
     * The timers of the process, and the thread that runs them, which ends after a while without any. There is no lock: a virtual
     * thread that queues for one, and has to wait for a carrier, holds up those that queue behind it, this thread among them.
     * <em>Thread-safe.</em>
     */
    private static final class Timers implements Runnable {
        private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);
        private static final long LONGEST_NANOS = Long.MAX_VALUE / 4;

        private final ConcurrentNavigableMap<Due, Runnable> tasks = new ConcurrentSkipListMap<>();
        private final AtomicLong count = new AtomicLong();
        private final AtomicReference<@Nullable Thread> runner = new AtomicReference<>();

        /** When a task is due; those of one instant run in the order in which they were set. */
        private record Due(long atNanos, long number) implements Comparable<Due> {
            @Override
            public int compareTo(Due other) {
                long difference = atNanos - other.atNanos;
                return Long.signum(difference == 0 ? number - other.number : difference);
            }
        }

        Timer schedule(long nanos, Runnable task) {
            Due due = new Due(System.nanoTime() + Math.min(nanos, LONGEST_NANOS), count.incrementAndGet());
            tasks.put(due, task);
            Thread thread = runner.get();
            if (thread == null) {
                start();
            } else if (tasks.firstKey().compareTo(due) >= 0) {
                LockSupport.unpark(thread);
            }
            return () -> tasks.remove(due);
        }

        /** If no thread can be started, the task stays: the next timer tries again. */
        private void start() {
            Thread thread = daemon(this);
            if (runner.compareAndSet(null, thread)) {
                try {
                    thread.start();
                } catch (Error e) {
                    runner.set(null);
                    throw e;
                }
            } else {
                LockSupport.unpark(runner.get());
            }
        }

        @Override
        public void run() {
            long idleSince = System.nanoTime();
            while (true) {
                Map.Entry<Due, Runnable> first = tasks.firstEntry();
                long now = System.nanoTime();
                if (first == null) {
                    if (now - idleSince < IDLE_NANOS) {
                        LockSupport.parkNanos(this, IDLE_NANOS - (now - idleSince));
                    } else if (isEnding()) {
                        return;
                    }
                    continue;
                }
                idleSince = now;
                long left = first.getKey().atNanos - now;
                if (left > 0) {
                    LockSupport.parkNanos(this, left);
                } else if (tasks.remove(first.getKey()) != null) {
                    run(first.getValue());
                }
            }
        }

        /** A task that was set meanwhile has either seen that there is no thread, or is seen here. */
        private boolean isEnding() {
            runner.set(null);
            return tasks.isEmpty() || !runner.compareAndSet(null, Thread.currentThread());
        }

        @SuppressWarnings("CatchingUnchecked") // one task does not end the others
        private static void run(Runnable task) {
            try {
                task.run();
            } catch (Throwable ignored) {
                // a task handles its own failures
            }
        }

        /** Keeps nothing of the caller that happens to need the first timer. */
        private static Thread daemon(Runnable task) {
            Thread thread = new Thread(null, task, "stampedeguard-timer", 0, false);
            thread.setDaemon(true);
            thread.setContextClassLoader(SystemTime.class.getClassLoader());
            return thread;
        }
    }
}
