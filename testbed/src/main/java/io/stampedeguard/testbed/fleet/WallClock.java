package io.stampedeguard.testbed.fleet;

import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The clock that all processes of a machine share. {@code System.nanoTime} has an origin of its own in each JVM. */
public final class WallClock {
    private WallClock() {}

    /** {@return the time, in microseconds since the epoch} */
    public static long micros() {
        Instant now = Instant.now();
        return TimeUnit.SECONDS.toMicros(now.getEpochSecond()) + now.getNano() / 1_000;
    }

    /** Waits for an instant; returns immediately if it has passed. */
    public static void awaitMicros(long micros) throws InterruptedException {
        for (long left = micros - micros(); left > 0; left = micros - micros()) {
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(left));
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }
}
