package io.stampedeguard.testkit;

import io.stampedeguard.time.TimeSource;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadPoolExecutor;

/** A clock that leaves everything to another one, for tests that change some of it. <em>Thread-safe</em> if that one is. */
public class ForwardingTime implements TimeSource {
    private final TimeSource clock;

    /** Creates a clock that leaves everything to another one. */
    public ForwardingTime(TimeSource clock) {
        this.clock = clock;
    }

    @Override
    public long wallMillis() {
        return clock.wallMillis();
    }

    @Override
    public long monotonicNanos() {
        return clock.monotonicNanos();
    }

    @Override
    public boolean await(CountDownLatch latch, long nanos) throws InterruptedException {
        return clock.await(latch, nanos);
    }

    @Override
    public Timer schedule(long nanos, Runnable task) {
        return clock.schedule(nanos, task);
    }

    @Override
    public void execute(ThreadPoolExecutor threads, Runnable task) {
        clock.execute(threads, task);
    }

    @Override
    public double random() {
        return clock.random();
    }
}
