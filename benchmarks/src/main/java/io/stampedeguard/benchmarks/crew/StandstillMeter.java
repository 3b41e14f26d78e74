package io.stampedeguard.benchmarks.crew;

import io.stampedeguard.testbed.fleet.WallClock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Notices when this process stands still, as happens on a machine with too much to do or while it collects garbage, or
 * something that it asks: a thread that wakes up all the time, asks for next to nothing, and looks how late it is. A
 * slow call can then be judged: nobody answers while nothing moves. <em>Thread-safe.</em>
 */
public final class StandstillMeter implements AutoCloseable {
    private static final long PAUSE_MICROS = 2_000;
    private static final long SHORTEST_MICROS = 1_000;

    private final Standstills noted = new Standstills();
    private final Runnable probe;
    private final Thread thread = new Thread(this::measure, "standstill-meter");
    private volatile boolean closed;

    private StandstillMeter(Runnable probe) {
        this.probe = probe;
    }

    /**
     * Starts to measure.
     *
     * @param probe what is asked each time; quick unless it stands still; called on the meter's own thread
     * @return a meter, to be closed
     */
    public static StandstillMeter start(Runnable probe) {
        StandstillMeter meter = new StandstillMeter(probe);
        meter.thread.setDaemon(true);
        meter.thread.start();
        return meter;
    }

    private void measure() {
        long due = WallClock.micros() + PAUSE_MICROS;
        while (!closed) {
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(due - WallClock.micros()));
            probe.run();
            long now = WallClock.micros();
            if (now - due >= SHORTEST_MICROS) {
                noted.add(due, now);
            }
            due = now + PAUSE_MICROS;
        }
    }

    /**
     * Tells what was noted so far.
     *
     * @return the standstills of 1 ms and more
     */
    public Standstills noted() {
        return noted;
    }

    /** Stops to measure. */
    @Override
    public void close() {
        closed = true;
    }
}
