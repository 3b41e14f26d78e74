package io.stampedeguard.demo.serve.member;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.LongStream;

/** The instants since which the callers of a process have been waiting for their answers. <em>Thread-safe.</em> */
final class InFlight {
    /** Redis answers well within that, so a slower caller waits for the database, directly or through another caller. */
    private static final long STUCK_MICROS = TimeUnit.MILLISECONDS.toMicros(100);

    private final AtomicLongArray beganMicros;

    InFlight(int callers) {
        beganMicros = new AtomicLongArray(callers);
    }

    void begin(int caller) {
        beganMicros.set(caller, nowMicros());
    }

    /** Ends the wait of a caller; returns how long it took, in microseconds. */
    long end(int caller) {
        return nowMicros() - beganMicros.getAndSet(caller, 0);
    }

    /** Returns how many of the first callers are stuck. */
    long stuck(int callers) {
        return stuckMicros(callers).count();
    }

    /** Returns how long each stuck caller has been waiting. */
    LongStream stuckMicros() {
        return stuckMicros(beganMicros.length());
    }

    private LongStream stuckMicros(int callers) {
        long now = nowMicros();
        return LongStream.range(0, callers)
                .map(caller -> beganMicros.get((int) caller))
                .filter(began -> began != 0 && now - began > STUCK_MICROS)
                .map(began -> now - began);
    }

    private static long nowMicros() {
        return TimeUnit.NANOSECONDS.toMicros(System.nanoTime());
    }
}
