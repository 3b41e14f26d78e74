package io.stampedeguard.testbed.measure;

import io.stampedeguard.testbed.Daemon;
import io.stampedeguard.testbed.fleet.WallClock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A detector of stalls of this process or of a server that it calls, for instance on an overloaded machine or during
 * garbage collection. A thread wakes up periodically, makes a cheap call, and measures how late it is. So a slow call
 * can be attributed to a stall. <em>Thread-safe.</em>
 */
public final class StallMeter implements AutoCloseable {
    private static final long SHORTEST_MICROS = 1_000;

    private final Stalls noted = new Stalls();
    private final long pauseMicros;
    private final Runnable probe;
    private final Thread thread = Daemon.thread("stall-meter", this::measure);
    private volatile long lookedMicros;
    private volatile boolean closed;

    private StallMeter(Duration pause, Runnable probe) {
        this.pauseMicros = TimeUnit.NANOSECONDS.toMicros(pause.toNanos());
        this.probe = probe;
    }

    /**
     * Starts the measurement.
     *
     * @param pause the time between two probes; shorter stalls may stay unnoticed
     * @param probe the call of each round; quick unless the server stalls; runs on the meter's own thread
     */
    public static StallMeter start(Duration pause, Runnable probe) {
        StallMeter meter = new StallMeter(pause, probe);
        meter.thread.start();
        return meter;
    }

    private void measure() {
        long due = WallClock.micros() + pauseMicros;
        while (!closed) {
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(due - WallClock.micros()));
            ask();
            long now = WallClock.micros();
            if (now - due >= SHORTEST_MICROS) {
                noted.add(due, now);
            }
            lookedMicros = now;
            due = now + pauseMicros;
        }
    }

    /** The probed resource may be closed right after the meter. */
    private void ask() {
        try {
            probe.run();
        } catch (RuntimeException e) {
            if (!closed) {
                throw e;
            }
        }
    }

    /** {@return the stalls of 1 ms and more that were recorded so far} */
    public Stalls noted() {
        return noted;
    }

    /** {@return how many microseconds of a time span were not stalled} Waits until the stalls of that span have been recorded. */
    public long runningMicros(long from, long to) {
        while (lookedMicros < to && !closed) {
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(pauseMicros));
        }
        return noted.runningMicros(from, to);
    }

    /** Stops the measurement. */
    @Override
    public void close() {
        closed = true;
    }
}
