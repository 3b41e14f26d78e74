package io.stampedeguard.redis;

import io.stampedeguard.testkit.ForwardingTime;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A clock on which each wait takes exactly a given time, however long it takes in reality: the speed of the machine
 * makes no difference. <em>Thread-safe.</em>
 */
public final class PatientTime extends ForwardingTime {
    private final AtomicLong now = new AtomicLong();
    private final AtomicInteger waitsInVain = new AtomicInteger();
    private final Duration eachWait;

    public PatientTime(Duration eachWait) {
        super(TimeSource.system());
        this.eachWait = eachWait;
    }

    @Override
    public long monotonicNanos() {
        return now.get();
    }

    @Override
    public boolean await(CountDownLatch latch, long nanos) throws InterruptedException {
        boolean open = super.await(latch, nanos);
        now.addAndGet(eachWait.toNanos());
        waitsInVain.addAndGet(open ? 0 : 1);
        return open;
    }

    /** Returns how many waits ended without the event that they waited for. */
    public int waitsInVain() {
        return waitsInVain.get();
    }
}
