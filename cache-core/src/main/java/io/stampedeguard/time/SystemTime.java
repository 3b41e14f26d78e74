package io.stampedeguard.time;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The machine's clocks. */
final class SystemTime implements TimeSource {
    static final SystemTime INSTANCE = new SystemTime();

    private static final long IDLE_SECONDS = 10;

    private final ScheduledThreadPoolExecutor timers = new ScheduledThreadPoolExecutor(1, SystemTime::daemon);

    private SystemTime() {
        timers.setRemoveOnCancelPolicy(true);
        timers.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        timers.allowCoreThreadTimeOut(true);
    }

    @Override
    public long wallMillis() {
        return System.currentTimeMillis();
    }

    @Override
    public long monotonicNanos() {
        return System.nanoTime();
    }

    @Override
    public boolean await(CountDownLatch latch, long nanos) throws InterruptedException {
        if (nanos == Long.MAX_VALUE) {
            latch.await(); // sets no timer, which a virtual thread would pay for
            return true;
        }
        return latch.await(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public Timer schedule(long nanos, Runnable task) {
        Future<?> timer = timers.schedule(task, nanos, TimeUnit.NANOSECONDS);
        return () -> timer.cancel(false);
    }

    /** Keeps nothing of the caller that happens to need the first timer. */
    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(null, task, "stampedeguard-timer", 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(SystemTime.class.getClassLoader());
        return thread;
    }
}
