package io.stampedeguard.demo;

import io.stampedeguard.testbed.fleet.Fleet;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.fleet.WallClock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A process that takes part in a phase until it is killed. It sends the first request, and the others are released
 * while it works on that. It is killed when half of the time has passed that the others need for the same work.
 */
final class Crash {
    private static final Duration READY_WITHIN = Duration.ofMinutes(2);
    private static final long AHEAD_MICROS = TimeUnit.MILLISECONDS.toMicros(50);

    /** The time that the others need to start waiting. */
    private static final long WITH_OTHERS_MICROS = TimeUnit.MILLISECONDS.toMicros(100);

    private final FleetMember doomed;
    private final long halfMicros;
    private long beganMicros;
    private long killedMicros;

    Crash(FleetMember doomed, Duration work) {
        this.doomed = doomed;
        this.halfMicros = TimeUnit.NANOSECONDS.toMicros(work.toNanos() / 2);
    }

    void begin(Message prepare) {
        doomed.send(prepare.with("callers", 1));
    }

    void awaitReady() throws InterruptedException {
        await("prepared");
        doomed.send(Message.of("fill"));
        await("filled");
    }

    /** Lets it load, then releases the others and kills it; returns when the others were released. */
    long run(Fleet others) throws InterruptedException {
        beganMicros = WallClock.micros() + AHEAD_MICROS;
        doomed.releaseAt(beganMicros);
        while (await("progress").number("loading") == 0) {
            // It has not begun its load yet.
        }
        long released = others.release();
        WallClock.awaitMicros(Math.max(beganMicros + halfMicros, released + WITH_OTHERS_MICROS));
        killedMicros = WallClock.micros();
        doomed.kill();
        return released;
    }

    /** Returns when its load began, a moment after its release. */
    long beganMicros() {
        return beganMicros;
    }

    long killedMicros() {
        return killedMicros;
    }

    private Message await(String verb) throws InterruptedException {
        Message message = doomed.receive(READY_WITHIN);
        while (!message.verb().equals(verb)) {
            message = doomed.receive(READY_WITHIN);
        }
        return message;
    }
}
