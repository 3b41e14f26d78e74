package io.stampedeguard.benchmarks.crew;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.benchmarks.peer.Peer;
import io.stampedeguard.testbed.fleet.WallClock;
import io.stampedeguard.testbed.measure.StandstillMeter;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** The callers of one {@link Ask}: they get ready, are released, and send their requests. */
final class AskRun {
    private final Ask ask;
    private final Peer peer;
    private final CompletableFuture<Long> release;
    private final Runnable announce;
    private final Answers answers = new Answers();
    private final CountDownLatch standing;
    private final CountDownLatch ended;
    private final OptionalLong waitsBefore;

    AskRun(Ask ask, Peer peer, CompletableFuture<Long> release, Runnable announce) {
        this.ask = ask;
        this.peer = peer;
        this.release = release;
        this.announce = announce;
        this.standing = new CountDownLatch(ask.callers());
        this.ended = new CountDownLatch(ask.callers());
        this.waitsBefore = peer.waits();
    }

    /** Starts the callers; returns when each of them is ready. */
    void standReady(Executor threads) throws InterruptedException {
        for (int i = 0; i < ask.callers(); i++) {
            Duration begins = ask.after().plus(ask.apart().multipliedBy(i));
            threads.execute(() -> call(micros(begins)));
        }
        standing.await();
    }

    /** Waits for the last answer of the last caller; meanwhile it records stalls of this process. */
    Answers awaitEnd() throws InterruptedException {
        if (ask.repeatFor().isZero()) {
            ended.await();
        } else {
            try (StandstillMeter meter = StandstillMeter.start(Duration.ofMillis(2), () -> {})) {
                ended.await();
                answers.slowCalls().standstills().addAll(meter.noted());
            }
        }
        answers.waitsNoted().addOthers(waitsBefore, peer.waits());
        return answers;
    }

    private void call(long afterMicros) {
        try {
            standing.countDown();
            long released = release.join();
            Origin origin = new Origin(ask.row(), released, answers, announce);
            WallClock.awaitMicros(released + afterMicros);
            askUntil(released + afterMicros + micros(ask.repeatFor()), origin);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            ended.countDown();
        }
    }

    private void askUntil(long endMicros, Origin origin) throws InterruptedException {
        boolean once = ask.repeatFor().isZero();
        do {
            answers.add(read(origin), once);
            if (!ask.pause().isZero()) {
                TimeUnit.NANOSECONDS.sleep(ask.pause().toNanos());
            }
        } while (!once && WallClock.micros() < endMicros);
    }

    @SuppressWarnings("CatchingUnchecked") // a peer may throw anything
    private Answers.Read read(Origin origin) {
        long began = WallClock.micros();
        try {
            String value = requireNonNull(peer.get(ask.key(), origin), "every row has a value");
            return new Answers.Read(began, WallClock.micros(), Got.of(value));
        } catch (Exception failed) {
            return new Answers.Read(began, WallClock.micros(), Got.FAILURE);
        }
    }

    private static long micros(Duration duration) {
        return TimeUnit.NANOSECONDS.toMicros(duration.toNanos());
    }
}
