package io.stampedeguard.benchmarks.crew;

import io.stampedeguard.benchmarks.peer.Peer;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.fleet.ReleasedThreads;
import io.stampedeguard.testbed.fleet.WallClock;
import io.stampedeguard.testbed.measure.StallMeter;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** The callers of one {@link Ask}: they get ready, are released, and send their requests. */
final class AskRun {
    private final Ask ask;
    private final Peer peer;
    private final Runnable announce;
    private final Answers answers = new Answers();
    private final OptionalLong waitsBefore;
    private final ReleasedThreads callers;

    /** Starts the callers; returns when each of them is ready. */
    AskRun(Ask ask, Peer peer, Executor threads, CompletableFuture<Long> release, Runnable announce)
            throws InterruptedException {
        this.ask = ask;
        this.peer = peer;
        this.announce = announce;
        this.waitsBefore = peer.waits();
        this.callers = ReleasedThreads.start(ask.callers(), threads, release, caller -> {
            long afterMicros = micros(ask.after().plus(ask.apart().multipliedBy(caller)));
            return released -> call(released, afterMicros);
        });
        callers.awaitReady();
    }

    /** Waits for the last answer of the last caller, and adds all answers to a message; meanwhile it records stalls of this process. */
    Message awaitEnd(Message message) throws InterruptedException {
        if (ask.repeatFor().isZero()) {
            callers.awaitEnd();
        } else {
            try (StallMeter meter = StallMeter.start(Duration.ofMillis(2), () -> {})) {
                callers.awaitEnd();
                answers.slowCalls().stalls().addAll(meter.noted());
            }
        }
        answers.addWaits(waitsBefore, peer.waits());
        return answers.in(message);
    }

    private void call(long released, long afterMicros) throws InterruptedException {
        Origin origin = new Origin(ask.row(), released, answers, announce);
        WallClock.awaitMicros(released + afterMicros);
        askUntil(released + afterMicros + micros(ask.repeatFor()), origin);
    }

    private void askUntil(long endMicros, Origin origin) throws InterruptedException {
        boolean once = ask.repeatFor().isZero();
        do {
            answers.add(Answers.Read.of(peer, ask.key(), origin), once);
            if (!ask.pause().isZero()) {
                TimeUnit.NANOSECONDS.sleep(ask.pause().toNanos());
            }
        } while (!once && WallClock.micros() < endMicros);
    }

    private static long micros(Duration duration) {
        return TimeUnit.NANOSECONDS.toMicros(duration.toNanos());
    }
}
