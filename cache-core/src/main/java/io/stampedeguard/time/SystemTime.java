package io.stampedeguard.time;

import java.util.Map;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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

        private final long beganNanos = System.nanoTime();

        /** By when they are due, in nanoseconds since {@code beganNanos}; of one instant, each a nanosecond after the one before. */
        private final ConcurrentNavigableMap<Long, Runnable> tasks = new ConcurrentSkipListMap<>();

        private final AtomicReference<@Nullable Thread> runner = new AtomicReference<>();

        private long now() {
            return System.nanoTime() - beganNanos;
        }

        Timer schedule(long nanos, Runnable task) {
            long at = now() + Math.min(nanos, LONGEST_NANOS);
            while (tasks.putIfAbsent(at, task) != null) {
                at++;
            }
            long due = at;
            Thread thread = runner.get();
            if (thread == null) {
                start();
            } else if (tasks.lowerKey(due) == null) {
                LockSupport.unpark(thread);
            }
            return () -> tasks.remove(due, task);
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
            long idleSince = now();
            while (true) {
                Map.Entry<Long, Runnable> first = tasks.firstEntry();
                long now = now();
                if (first == null) {
                    if (now - idleSince < IDLE_NANOS) {
                        LockSupport.parkNanos(this, IDLE_NANOS - (now - idleSince));
                    } else if (isEnding()) {
                        return;
                    }
                    continue;
                }
                idleSince = now;
                long left = first.getKey() - now;
                if (left > 0) {
                    LockSupport.parkNanos(this, left);
                } else if (tasks.remove(first.getKey(), first.getValue())) {
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
