package io.stampedeguard.testkit;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An origin with one row, whose reads are counted and can be held up at a gate: a read gets the row first and then
 * waits, like a slow transaction. <em>Thread-safe.</em>
 */
public final class Origin {
    private final AtomicInteger reads = new AtomicInteger();
    private final Gate gate = new Gate();
    private volatile @Nullable String row;

    /** Creates an origin with a row, or {@code null} for none. */
    public Origin(@Nullable String row) {
        this.row = row;
    }

    /** Changes the row. */
    public void write(@Nullable String value) {
        row = value;
    }

    /** Makes reads that begin from now on fail with this, or succeed again with {@code null}. */
    public void fail(@Nullable Throwable with) {
        gate.fail(with);
    }

    /** Holds up reads that begin from now on. */
    public CountDownLatch close() {
        return gate.close();
    }

    /** Releases all reads that are held up, and future ones. */
    public void open() {
        gate.open();
    }

    /** The loader: reads the row. */
    public @Nullable String read(Object key) throws Exception {
        return gate.pass(() -> {
            String seen = row;
            reads.incrementAndGet(); // last: a test that waits for it may then change the row
            return seen;
        });
    }

    /** Returns how many reads have seen the row. */
    public int reads() {
        return reads.get();
    }

    /** Returns how many reads are running. */
    public int running() {
        return gate.running();
    }

    /** Returns the maximum number of concurrent reads. */
    public int mostAtOnce() {
        return gate.mostAtOnce();
    }
}
