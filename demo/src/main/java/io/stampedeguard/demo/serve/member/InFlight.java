package io.stampedeguard.demo.serve.member;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.LongStream;

/** Since when each caller of a process has been waiting for its answer. <em>Thread-safe.</em> */
final class InFlight {
    /** Redis answers well within that, so who takes longer waits for the database, or for somebody who does. */
    private static final long WAITING_MICROS = TimeUnit.MILLISECONDS.toMicros(10);

    private final AtomicLongArray beganMicros;

    InFlight(int callers) {
        beganMicros = new AtomicLongArray(callers);
    }

    void begin(int caller) {
        beganMicros.set(caller, nowMicros());
    }

    /** Returns how long it took, in microseconds. */
    long end(int caller) {
        return nowMicros() - beganMicros.getAndSet(caller, 0);
    }

    /** Returns for how long those have waited who wait now, in microseconds. */
    LongStream waitingMicros() {
        long now = nowMicros();
        return LongStream.range(0, beganMicros.length())
                .map(caller -> beganMicros.get((int) caller))
                .filter(began -> began != 0 && now - began > WAITING_MICROS)
                .map(began -> now - began);
    }

    private static long nowMicros() {
        return TimeUnit.NANOSECONDS.toMicros(System.nanoTime());
    }
}
