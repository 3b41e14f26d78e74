package io.stampedeguard.benchmarks;

import io.stampedeguard.internal.thread.WakeUpTree;
import io.stampedeguard.testbed.program.ThreadKind;
import io.stampedeguard.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The time until the last of many waiting threads runs, as the callers of one load wait: woken as a tree, and by one latch, where
 * they wake each other in a chain. The comparable figure is the ratio of the medians in one run.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class WakeUpBenchmark {
    private static final long LONG_NANOS = TimeUnit.HOURS.toNanos(1);

    /** How many threads wait. */
    @Param({"64", "256"})
    public int threads;

    /** The kind of these threads; {@code VIRTUAL} from Java 21 on. */
    @Param("PLATFORM")
    public ThreadKind kind = ThreadKind.PLATFORM;

    /** What they wait for. */
    @Param({"CHAIN", "TREE"})
    public Order order = Order.TREE;

    private final List<Thread> waiting = new ArrayList<>();
    private Round round;

    /** The order in which threads are woken. */
    public enum Order {
        /** By one latch. */
        CHAIN {
            @Override
            Gate gate() {
                CountDownLatch latch = new CountDownLatch(1);
                return new Gate(() -> TimeSource.system().await(latch, LONG_NANOS), latch::countDown);
            }
        },
        /** As by a flight. */
        TREE {
            @Override
            Gate gate() {
                WakeUpTree tree = new WakeUpTree();
                return new Gate(() -> tree.await(TimeSource.system(), LONG_NANOS), tree::release);
            }
        };

        abstract Gate gate();
    }

    interface Wait {
        void await() throws InterruptedException;
    }

    record Gate(Wait until, Runnable release) {}

    /** One release of all threads, which then wait for the next one, if there is any. */
    private final class Round {
        private final Gate gate = order.gate();
        private final CountDownLatch awake = new CountDownLatch(threads);
        private @Nullable Round next;

        void release() throws InterruptedException {
            gate.release().run();
            awake.await();
        }
    }

    /** Starts the threads. */
    @Setup
    public void start() {
        Round first = new Round();
        for (int i = 0; i < threads; i++) {
            Thread thread = kind.factory().newThread(() -> waitForEach(first));
            waiting.add(thread);
            thread.start();
        }
        round = first;
    }

    private static void waitForEach(Round first) {
        try {
            for (Round each = first; each != null; each = each.next) {
                each.gate.until().await();
                each.awake.countDown();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Lets all threads wait. */
    @Setup(Level.Invocation)
    public void awaitWaiting() throws InterruptedException {
        for (Thread each : waiting) {
            while (each.getState() != Thread.State.TIMED_WAITING) {
                Thread.sleep(1);
            }
        }
    }

    /** Ends the threads. */
    @TearDown
    public void end() throws InterruptedException {
        round.release();
        for (Thread each : waiting) {
            each.join();
        }
    }

    /** Releases the threads, and waits until each of them has run. */
    @Benchmark
    public void release() throws InterruptedException {
        Round released = round;
        round = new Round();
        released.next = round;
        released.release();
    }
}
