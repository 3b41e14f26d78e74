package io.stampedeguard.examples.warehouse;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Counts the statements that read from the database, and holds them up on request. <em>Thread-safe.</em> */
final class Statements {
    private final AtomicInteger reads = new AtomicInteger();
    private volatile @Nullable Hold hold;

    /** All reads from now on wait until they are released. */
    static final class Hold {
        private final CountDownLatch begun;
        private final CountDownLatch released = new CountDownLatch(1);

        private Hold(int reads) {
            begun = new CountDownLatch(reads);
        }

        /** Blocks until so many reads wait as were announced. */
        void awaitReads() throws InterruptedException {
            begun.await();
        }

        void release() {
            released.countDown();
        }
    }

    Hold hold(int expectedReads) {
        Hold created = new Hold(expectedReads);
        hold = created;
        return created;
    }

    int reads() {
        return reads.get();
    }

    /** Returns the statement, which Hibernate is about to send. */
    String passed(String statement) {
        if (statement.startsWith("select")) {
            reads.incrementAndGet();
            Hold current = hold;
            if (current != null) {
                current.begun.countDown();
                try {
                    current.released.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException("interrupted while it was held up: " + statement, e);
                }
            }
        }
        return statement;
    }
}
