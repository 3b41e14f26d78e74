package io.stampedeguard.simulation;

import io.stampedeguard.time.TimeSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;

/**
 * The clock, timers, threads, and random numbers of one simulated process. A latch of a process is opened by that process only, so its waits are
 * checked after each of its events, and no other. For the thread of the loop and its strands.
 */
final class SimulatedTime implements TimeSource {
    private static final long START_MILLIS = 1_800_000_000_000L;

    private final EventLoop loop;
    private final DoubleSupplier random;
    private final List<Wait> waits = new ArrayList<>();
    private final Map<ThreadPoolExecutor, Pool> pools = new HashMap<>();

    /** Creates a clock for what draws no random numbers. */
    SimulatedTime(EventLoop loop) {
        this(loop, () -> 0.5);
    }

    SimulatedTime(EventLoop loop, DoubleSupplier random) {
        this.loop = loop;
        this.random = random;
    }

    /** A strand that waits for a latch. */
    private static final class Wait {
        private final EventLoop.Strand strand;
        private final CountDownLatch latch;
        private boolean resumed;

        Wait(EventLoop.Strand strand, CountDownLatch latch) {
            this.strand = strand;
            this.latch = latch;
        }

        boolean isOver() {
            return !resumed && (latch.getCount() == 0 || strand.isInterrupted());
        }
    }

    @Override
    public long wallMillis() {
        return START_MILLIS + TimeUnit.NANOSECONDS.toMillis(loop.nowNanos());
    }

    @Override
    public long monotonicNanos() {
        return loop.nowNanos();
    }

    @Override
    public Timer schedule(long nanos, Runnable task) {
        return loop.after(nanos, () -> {
            task.run();
            resumeWaits();
        });
    }

    /** Runs a task that may block, as soon as possible. */
    void start(Runnable task) {
        loop.after(0, () -> resume(loop.strand(task)));
    }

    /** Runs a strand of this process until it parks or ends. To be called by events. */
    void resume(EventLoop.Strand strand) {
        loop.resume(strand);
        resumeWaits();
    }

    private void resumeWaits() {
        for (Wait wait : waits) {
            if (wait.isOver()) {
                resumeLater(wait);
            }
        }
    }

    private void resumeLater(Wait wait) {
        wait.resumed = true;
        loop.after(0, () -> resume(wait.strand));
    }

    @Override
    public boolean await(CountDownLatch latch, long nanos) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (latch.getCount() == 0 || nanos <= 0) {
            return latch.getCount() == 0;
        }
        Wait wait = new Wait(loop.current(), latch);
        waits.add(wait);
        Timer end = loop.after(nanos, () -> {
            if (!wait.resumed) {
                resumeLater(wait);
            }
        });
        wait.strand.park();
        end.stop();
        waits.remove(wait);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return latch.getCount() == 0;
    }

    @Override
    public void execute(ThreadPoolExecutor threads, Runnable task) {
        pools.computeIfAbsent(threads, Pool::new).add(task);
    }

    @Override
    public double random() {
        return random.getAsDouble();
    }

    /** Strands in place of the threads of a pool, in the same number and with a queue of the same length. */
    private final class Pool {
        private final ThreadPoolExecutor threads;
        private final Deque<Runnable> queue = new ArrayDeque<>();
        private int running;

        Pool(ThreadPoolExecutor threads) {
            this.threads = threads;
        }

        void add(Runnable task) {
            if (threads.isShutdown()) {
                throw new RejectedExecutionException("the threads were shut down");
            }
            if (running < threads.getMaximumPoolSize()) {
                running++;
                start(() -> work(task));
            } else if (queue.size() < threads.getQueue().remainingCapacity()) {
                queue.add(task);
            } else {
                throw new RejectedExecutionException("the queue is full");
            }
        }

        private void work(Runnable first) {
            Runnable next = first;
            while (next != null) {
                next.run();
                next = queue.poll();
            }
            running--;
        }
    }
}
