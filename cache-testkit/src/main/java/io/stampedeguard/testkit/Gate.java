package io.stampedeguard.testkit;

import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Counts the concurrent reads of an origin, holds them up, and makes them fail. <em>Thread-safe.</em> */
final class Gate {
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger mostAtOnce = new AtomicInteger();
    private volatile CountDownLatch latch = new CountDownLatch(0);
    private volatile @Nullable Throwable failure;

    /** Makes reads that begin from now on fail with this, or succeed again with {@code null}. */
    void fail(@Nullable Throwable with) {
        failure = with;
    }

    /** Holds up reads that begin from now on, until it is opened or the latch is counted down. */
    CountDownLatch close() {
        CountDownLatch closed = new CountDownLatch(1);
        latch = closed;
        return closed;
    }

    /** Releases all reads that are held up, and future ones. */
    void open() {
        latch.countDown();
    }

    /** Reads: gets the rows, then waits at the gate, then returns them, or fails. */
    <T extends @Nullable Object> T pass(Callable<T> read) throws Exception {
        // All is read before the read counts as running: a test that waits for that may then change it.
        Throwable thrown = failure;
        CountDownLatch open = latch;
        T seen = read.call();
        mostAtOnce.accumulateAndGet(running.incrementAndGet(), Math::max);
        try {
            open.await();
            throwIfAny(thrown);
            return seen;
        } finally {
            running.decrementAndGet();
        }
    }

    private static void throwIfAny(@Nullable Throwable thrown) throws Exception {
        if (thrown instanceof Error error) {
            throw error;
        }
        if (thrown instanceof Exception exception) {
            throw exception;
        }
    }

    /** Returns how many reads are running. */
    int running() {
        return running.get();
    }

    /** Returns the maximum number of concurrent reads. */
    int mostAtOnce() {
        return mostAtOnce.get();
    }
}
