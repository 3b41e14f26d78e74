package io.stampedeguard.demo.member;

import io.stampedeguard.demo.product.ProductCache;
import io.stampedeguard.demo.scenario.CallerScript;
import io.stampedeguard.demo.scenario.PhaseWatch;
import io.stampedeguard.testbed.fleet.WallClock;
import io.stampedeguard.testbed.measure.Latencies;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAccumulator;

/** The callers of one process: threads that wait for the release and then request their own sequences of keys. */
final class Callers {
    private final CompletableFuture<Long> releaseMicros = new CompletableFuture<>();
    private final Latencies latencies = new Latencies();
    private final LongAccumulator firstAnswer = new LongAccumulator(Math::min, Long.MAX_VALUE);
    private final LongAccumulator lastAnswer = new LongAccumulator(Math::max, 0);
    private final CountDownLatch ended;
    private final ProductCache products;
    private final PhaseWatch watch;
    private final Answers answers;
    private final Errors errors;

    private Callers(int count, ProductCache products, PhaseWatch watch, Answers answers, Errors errors) {
        this.ended = new CountDownLatch(count);
        this.products = products;
        this.watch = watch;
        this.answers = answers;
        this.errors = errors;
    }

    /** Starts the threads, which then wait. */
    static Callers start(
            int count, CallerScript script, ProductCache products, PhaseWatch watch, Answers answers, Errors errors) {
        Callers callers = new Callers(count, products, watch, answers, errors);
        for (int i = 0; i < count; i++) {
            CallerScript.Keys keys = script.keysOf(i);
            Thread thread = new Thread(() -> callers.run(keys), "caller-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        return callers;
    }

    /** Releases them at an instant, for which each thread waits separately. */
    void releaseAt(long micros) {
        releaseMicros.complete(micros);
    }

    void awaitEnd() throws InterruptedException {
        ended.await();
    }

    /** Waits for the end for a limited time; returns whether it was reached. */
    boolean awaitEnd(long millis) throws InterruptedException {
        return ended.await(millis, TimeUnit.MILLISECONDS);
    }

    Latencies latencies() {
        return latencies;
    }

    /** Returns when the first of them got an answer or an exception, in microseconds since the epoch. */
    long firstAnswerMicros() {
        return firstAnswer.get();
    }

    /** Returns when the last of them got an answer. */
    long lastAnswerMicros() {
        return lastAnswer.get();
    }

    private void run(CallerScript.Keys keys) {
        try {
            WallClock.awaitMicros(releaseMicros.join());
            for (long key = keys.next(); key != CallerScript.Keys.END; key = keys.next()) {
                get(key);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            ended.countDown();
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
            errors.add(e);
        } finally {
            latencies.record(System.nanoTime() - began);
            answers.answered();
            long now = WallClock.micros();
            firstAnswer.accumulate(now);
            lastAnswer.accumulate(now);
        }
    }
}
