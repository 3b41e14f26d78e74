package io.stampedeguard.demo;

import io.stampedeguard.testbed.fleet.Fleet;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.fleet.WallClock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A process that takes part in a phase until it is killed: it is the first to ask, the others are released while it works
 * on that, and then it is killed, when half of the time is over that they take for the same.
 */
final class Crash {
    private static final Duration READY_WITHIN = Duration.ofMinutes(2);
    private static final long AHEAD_MICROS = TimeUnit.MILLISECONDS.toMicros(50);

    /** Time for the others to get to where they wait. */
    private static final long WITH_OTHERS_MICROS = TimeUnit.MILLISECONDS.toMicros(100);

    private final FleetMember doomed;
    private final long halfMicros;
    private long beganMicros;
    private long killedMicros;

    /** {@code work} is what the others take. */
    Crash(FleetMember doomed, Duration work) {
        this.doomed = doomed;
        this.halfMicros = TimeUnit.NANOSECONDS.toMicros(work.toNanos() / 2);
    }

    void begin(Message prepare) {
        doomed.tell(prepare.with("callers", 1));
    }

    void awaitReady() throws InterruptedException {
        await("prepared");
        doomed.tell(Message.of("fill"));
        await("filled");
    }

    /** Has it load, then releases the others and kills it; tells when the others were released. */
    long run(Fleet others) throws InterruptedException {
        beganMicros = WallClock.micros() + AHEAD_MICROS;
        doomed.releaseAt(beganMicros);
        while (await("progress").number("loading") == 0) {
            // It has not come to that yet.
        }
        long released = others.release();
        WallClock.awaitMicros(Math.max(beganMicros + halfMicros, released + WITH_OTHERS_MICROS));
        killedMicros = WallClock.micros();
        doomed.kill();
        return released;
    }

    /** When its load began, a moment after it was released. */
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
