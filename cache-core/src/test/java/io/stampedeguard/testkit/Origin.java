package io.stampedeguard.testkit;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An origin with one row, whose reads are counted and can be held up at a gate: a read looks at the row first and then
 * waits, as a slow transaction does. <em>Thread-safe.</em>
 */
public final class Origin {
    private final AtomicInteger reads = new AtomicInteger();
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger mostAtOnce = new AtomicInteger();
    private volatile CountDownLatch gate = new CountDownLatch(0);
    private volatile @Nullable String row;
    private volatile @Nullable Throwable failure;

    /** Makes an origin with a row, or {@code null} for none. */
    public Origin(@Nullable String row) {
        this.row = row;
    }

    /** Changes the row. */
    public void write(@Nullable String value) {
        row = value;
    }

    /** Lets reads that begin from now on fail with this, or succeed again with {@code null}. */
    public void fail(@Nullable Throwable with) {
        failure = with;
    }

    /** Holds up reads that begin from now on. */
    public CountDownLatch close() {
        gate = new CountDownLatch(1);
        return gate;
    }

    /** Lets go of all reads that are held up, and of those to come. */
    public void open() {
        gate.countDown();
    }

    /** The loader: reads the row. */
    public @Nullable String read(Object key) throws Exception {
        reads.incrementAndGet();
        // What is read is read before the read counts as running: who waits for that may change the row then.
        String value = row;
        Throwable thrown = failure;
        CountDownLatch open = gate;
        mostAtOnce.accumulateAndGet(running.incrementAndGet(), Math::max);
        try {
            open.await();
            if (thrown instanceof Error error) {
                throw error;
            }
            if (thrown instanceof Exception exception) {
                throw exception;
            }
            return value;
        } finally {
            running.decrementAndGet();
        }
    }

    /** Tells how many reads began. */
    public int reads() {
        return reads.get();
    }

    /** Tells how many reads run now. */
    public int running() {
        return running.get();
    }

    /** Tells how many reads ran at once at most. */
    public int mostAtOnce() {
        return mostAtOnce.get();
    }
}
