package io.stampedeguard.demo.member;

import io.stampedeguard.demo.product.ProductCache;
import io.stampedeguard.demo.scenario.CallerScript;
import io.stampedeguard.demo.scenario.PhaseWatch;
import io.stampedeguard.testbed.Daemon;
import io.stampedeguard.testbed.fleet.ReleasedThreads;
import io.stampedeguard.testbed.fleet.WallClock;
import io.stampedeguard.testbed.measure.Latencies;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAccumulator;

/** The callers of one process: threads that wait for the release and then request their own sequences of keys. */
final class Callers {
    private final CompletableFuture<Long> releaseMicros = new CompletableFuture<>();
    private final Latencies latencies = new Latencies();
    private final LongAccumulator firstAnswer = new LongAccumulator(Math::min, Long.MAX_VALUE);
    private final LongAccumulator lastAnswer = new LongAccumulator(Math::max, 0);
    private final ProductCache products;
    private final PhaseWatch watch;
    private final Answers answers;

    private final ReleasedThreads threads;

    Callers(int count, CallerScript script, ProductCache products, PhaseWatch watch, Answers answers) {
        this.products = products;
        this.watch = watch;
        this.answers = answers;
        this.threads = ReleasedThreads.start(count, task -> Daemon.start("caller", task), releaseMicros, caller -> {
            CallerScript.Keys keys = script.keysOf(caller);
            return released -> run(keys, released);
        });
    }

    /** Releases them at an instant, for which each thread waits separately. */
    void releaseAt(long micros) {
        releaseMicros.complete(micros);
    }

    void awaitEnd() throws InterruptedException {
        threads.awaitEnd();
    }

    boolean awaitEnd(long millis) throws InterruptedException {
        return threads.awaitEnd(millis);
    }

    Latencies latencies() {
        return latencies;
    }

    /** Returns when the first of them got an answer or an exception, in microseconds since the epoch. */
    long firstAnswerMicros() {
        return firstAnswer.get();
    }

    long lastAnswerMicros() {
        return lastAnswer.get();
    }

    private void run(CallerScript.Keys keys, long released) throws InterruptedException {
        WallClock.awaitMicros(released);
        for (long key = keys.next(); key != CallerScript.Keys.END; key = keys.next()) {
            get(key);
        }
    }

    /** Failed gets are measured, too. */
    @SuppressWarnings("CatchingUnchecked")
    private void get(long key) {
        long began = System.nanoTime();
        try {
            String product = products.get(key);
            watch.answered(key, product, System.nanoTime() - began);
        } catch (Exception | LinkageError e) {
            answers.failed(e);
        } finally {
            latencies.record(System.nanoTime() - began);
            answers.answered();
            long now = WallClock.micros();
            firstAnswer.accumulate(now);
            lastAnswer.accumulate(now);
        }
    }
}
