package io.stampedeguard.testkit;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits of a test for its threads, in real time. */
final class RealTime {
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private RealTime() {}

    /** Waits until a condition holds; after a minute, the threads that should fulfill it hang. */
    static void await(BooleanSupplier condition, Supplier<String> failure) throws InterruptedException {
        long giveUp = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - giveUp > 0) {
                throw new AssertionError(failure.get());
            }
            Thread.sleep(1);
        }
    }
}
