package io.stampedeguard.testkit;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Where the reads of an origin are counted, held up, and made to fail. <em>Thread-safe.</em> */
final class Gate {
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger mostAtOnce = new AtomicInteger();
    private volatile CountDownLatch latch = new CountDownLatch(0);
    private volatile @Nullable Throwable failure;

    /** Lets reads that begin from now on fail with this, or succeed again with {@code null}. */
    void fail(@Nullable Throwable with) {
        failure = with;
    }

    /** Holds up reads that begin from now on, until it is opened or the latch is counted down. */
    CountDownLatch close() {
        latch = new CountDownLatch(1);
        return latch;
    }

    /** Lets go of all reads that are held up, and of those to come. */
    void open() {
        latch.countDown();
    }

    /** Reads: looks at the rows, then waits at the gate, then tells what it saw, or fails. */
    <T extends @Nullable Object> T pass(Supplier<T> look) throws Exception {
        // All is looked at before the read counts as running: who waits for that may change it then.
        Throwable thrown = failure;
        CountDownLatch open = latch;
        T seen = look.get();
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

    /** Returns how many reads run now. */
    int running() {
        return running.get();
    }

    /** Returns how many reads ran at once at most. */
    int mostAtOnce() {
        return mostAtOnce.get();
    }
}
