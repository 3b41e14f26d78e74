package io.stampedeguard.testkit;

import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A clock that a test turns by hand. Threads that wait through it wait for the hand, not for real time: each looks again
 * every real millisecond whether the hand has reached its end. <em>Thread-safe.</em>
 */
public final class VirtualTime implements TimeSource {
    private static final long START_MILLIS = 1_800_000_000_000L;

    private final AtomicLong nanos = new AtomicLong();
    private final AtomicInteger waiting = new AtomicInteger();

    /** Turns the clock forward. */
    public void advance(Duration length) {
        nanos.addAndGet(length.toNanos());
    }

    /** Waits (in real time) until so many threads wait through this clock. */
    public void awaitWaiting(int threads) throws InterruptedException {
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (waiting.get() != threads) {
            if (System.nanoTime() - giveUp > 0) {
                throw new AssertionError(waiting.get() + " threads are waiting, not " + threads);
            }
            Thread.sleep(1);
        }
    }

    @Override
    public long wallMillis() {
        return START_MILLIS + TimeUnit.NANOSECONDS.toMillis(nanos.get());
    }

    @Override
    public long monotonicNanos() {
        return nanos.get();
    }

    @Override
    public boolean await(CountDownLatch latch, long length) throws InterruptedException {
        long end = nanos.get() + length;
        waiting.incrementAndGet();
        try {
            while (!latch.await(1, TimeUnit.MILLISECONDS)) {
                if (nanos.get() - end >= 0) {
                    return false;
                }
            }
            return true;
        } finally {
            waiting.decrementAndGet();
        }
    }
}
