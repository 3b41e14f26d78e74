package io.stampedeguard.benchmarks.crew;

import io.stampedeguard.benchmarks.peer.Peer;
import io.stampedeguard.testbed.fleet.WallClock;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** The threads of one {@link Series}: they get ready, are released, and request their keys. */
final class SeriesRun {
    private final Series series;
    private final Peer peer;
    private final CompletableFuture<Long> release;
    private final Tally tally = new Tally();
    private final CountDownLatch standing;
    private final CountDownLatch ended;
    private final long everyMicros;

    SeriesRun(Series series, Peer peer, CompletableFuture<Long> release) {
        this.series = series;
        this.peer = peer;
        this.release = release;
        this.standing = new CountDownLatch(series.threads());
        this.ended = new CountDownLatch(series.threads());
        this.everyMicros = TimeUnit.NANOSECONDS.toMicros(series.every().toNanos());
    }

    /** Starts the threads; returns when each of them is ready. */
    void standReady(Executor threads) throws InterruptedException {
        for (int i = 0; i < series.threads(); i++) {
            int thread = i;
            threads.execute(() -> ask(thread));
        }
        standing.await();
    }

    /** Waits for the last answer of the last thread. */
    Tally awaitEnd() throws InterruptedException {
        ended.await();
        return tally;
    }

    private void ask(int thread) {
        try {
            IntFunction<String> keys = series.keysOf(thread);
            standing.countDown();
            long released = release.join();
            WallClock.awaitMicros(released);
            askAll(keys, released);
            tally.addEnd(WallClock.micros());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            ended.countDown();
        }
    }

    /**
     * The instants are random, so that the requests of several threads and processes neither coincide nor alternate.
     */
    private void askAll(IntFunction<String> keys, long released) throws InterruptedException {
        SplittableRandom random = new SplittableRandom();
        for (int call = 0; call < series.calls(); call++) {
            if (everyMicros > 0) {
                WallClock.awaitMicros(released + everyMicros * call + random.nextLong(everyMicros));
            }
            ask(keys.apply(call));
        }
    }

    @SuppressWarnings("CatchingUnchecked") // a peer may throw anything
    private void ask(String key) {
        long began = System.nanoTime();
        try {
            String value = peer.get(key, this::load);
            tally.addAnswer(value, System.nanoTime() - began);
        } catch (Exception failed) {
            tally.addFailure(System.nanoTime() - began);
        }
    }

    private @Nullable String load(String key) throws InterruptedException {
        if (series.shared()) {
            tally.addLoad();
        } else {
            tally.addLoad(key);
        }
        TimeUnit.NANOSECONDS.sleep(series.takes().toNanos());
        return series.existing() ? Got.OLD.value() : null;
    }
}
