package io.stampedeguard.testbed.measure;

import io.stampedeguard.testbed.fleet.WallClock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Notices when this process stands still, as happens on a machine with too much to do or while it collects garbage, or
 * something that it asks: a thread that wakes up all the time, asks for next to nothing, and looks how late it is. A
 * slow call can then be judged: nobody answers while nothing moves. <em>Thread-safe.</em>
 */
public final class StandstillMeter implements AutoCloseable {
    private static final long SHORTEST_MICROS = 1_000;

    private final Standstills noted = new Standstills();
    private final long pauseMicros;
    private final Runnable probe;
    private final Thread thread = new Thread(this::measure, "standstill-meter");
    private volatile long lookedMicros;
    private volatile boolean closed;

    private StandstillMeter(Duration pause, Runnable probe) {
        this.pauseMicros = TimeUnit.NANOSECONDS.toMicros(pause.toNanos());
        this.probe = probe;
    }

    /**
     * Starts to measure.
     *
     * @param pause between two looks: what is not longer may stay unnoticed
     * @param probe what is asked each time; quick unless it stands still; called on the meter's own thread
     * @return a meter, to be closed
     */
    public static StandstillMeter start(Duration pause, Runnable probe) {
        StandstillMeter meter = new StandstillMeter(pause, probe);
        meter.thread.setDaemon(true);
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

    /** What is asked may be closed right after the meter. */
    private void ask() {
        try {
            probe.run();
        } catch (RuntimeException e) {
            if (!closed) {
                throw e;
            }
        }
    }

    /**
     * Returns what was noted so far.
     *
     * @return the standstills of 1 ms and more
     */
    public Standstills noted() {
        return noted;
    }

    /**
     * Returns how much of a time was no standstill. Waits until the standstills of that time have been noted.
     *
     * @param from when it began, in microseconds since the epoch
     * @param to when it ended
     * @return microseconds
     */
    public long runningMicros(long from, long to) {
        while (lookedMicros < to && !closed) {
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(pauseMicros));
        }
        return noted.runningMicros(from, to);
    }

    /** Stops to measure. */
    @Override
    public void close() {
        closed = true;
    }
}
