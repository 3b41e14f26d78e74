package io.stampedeguard.benchmarks.crew;

import io.stampedeguard.benchmarks.peer.Peer;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.fleet.ReleasedThreads;
import io.stampedeguard.testbed.fleet.WallClock;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The threads of one {@link Series}: they get ready, are released, and request their keys, until they have sent their calls, the
 * time is up, or there is no further key.
 */
final class SeriesRun {
    private final Series series;
    private final Peer peer;
    private final Tally tally = new Tally();
    private final Peer.Load rows = new Rows();
    private final long everyMicros;
    private final long mostMicros;
    private final long processorNanosBefore;
    private final long compilationMillisBefore;
    private final Map<String, Long> unleasedLoadsBefore;
    private final ReleasedThreads threads;

    /** Starts the threads; returns when each of them is ready. */
    SeriesRun(Series series, Peer peer, Executor executor, CompletableFuture<Long> release)
            throws InterruptedException {
        this(series, series::keysOf, peer, executor, release);
    }

    /** As above, with other keys: those of a thread, by the number of the call, {@code null} after the last one. */
    SeriesRun(
            Series series,
            IntFunction<IntFunction<@Nullable String>> keysOf,
            Peer peer,
            Executor executor,
            CompletableFuture<Long> release)
            throws InterruptedException {
        this.series = series;
        this.peer = peer;
        this.everyMicros = TimeUnit.NANOSECONDS.toMicros(series.every().toNanos());
        this.mostMicros = TimeUnit.NANOSECONDS.toMicros(series.most().toNanos());
        this.threads = ReleasedThreads.start(series.threads(), executor, release, thread -> {
            IntFunction<@Nullable String> keys = keysOf.apply(thread);
            return released -> ask(keys, released);
        });
        threads.awaitReady();
        this.processorNanosBefore = processorNanos();
        this.compilationMillisBefore = compilationMillis();
        this.unleasedLoadsBefore = peer.unleasedLoads();
    }

    /** Waits for the last answer of the last thread, and adds the tally to a message. */
    Message awaitEnd(Message message) throws InterruptedException {
        threads.awaitEnd();
        tally.addProcessorNanos(processorNanos() - processorNanosBefore);
        tally.addCompilationMillis(compilationMillis() - compilationMillisBefore);
        peer.unleasedLoads()
                .forEach((reason, count) ->
                        tally.addUnleasedLoads(reason, count - unleasedLoadsBefore.getOrDefault(reason, 0L)));
        return tally.in(message);
    }

    /** Returns the processor time that all threads of this process have used. */
    private static long processorNanos() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    private static long compilationMillis() {
        return ManagementFactory.getCompilationMXBean().getTotalCompilationTime();
    }

    private void ask(IntFunction<@Nullable String> keys, long released) throws InterruptedException {
        WallClock.awaitMicros(released);
        requestAll(keys, released);
        tally.addEnd(WallClock.micros());
    }

    /** The instants are random, so that the requests of several threads and processes neither coincide nor alternate. */
    private void requestAll(IntFunction<@Nullable String> keys, long released) throws InterruptedException {
        SplittableRandom random = new SplittableRandom();
        for (int call = 0; call < series.calls(); call++) {
            if (everyMicros > 0) {
                WallClock.awaitMicros(released + everyMicros * call + random.nextLong(everyMicros));
            }
            String key = keys.apply(call);
            if (key == null || (mostMicros > 0 && WallClock.micros() - released >= mostMicros)) {
                return;
            }
            ask(key);
        }
    }

    @SuppressWarnings("CatchingUnchecked") // a peer may throw anything
    private void ask(String key) {
        long began = System.nanoTime();
        try {
            String value = peer.get(key, rows);
            tally.addAnswer(value, System.nanoTime() - began);
        } catch (Exception failed) {
            tally.addFailure(System.nanoTime() - began);
        }
    }

    /** The origin: a load of many keys takes no longer than that of one. */
    private final class Rows implements Peer.Load {
        @Override
        public @Nullable String load(String key) throws InterruptedException {
            if (series.shared()) {
                tally.addLoad();
            } else {
                tally.addLoad(key);
            }
            TimeUnit.NANOSECONDS.sleep(series.takes().toNanos());
            return series.existing() ? Got.OLD.value() : null;
        }

        @Override
        public Map<String, String> loadAll(Set<String> keys) throws InterruptedException {
            String value = load(String.join(",", keys));
            Map<String, String> values = new HashMap<>();
            if (value != null) {
                keys.forEach(key -> values.put(key, value));
            }
            return values;
        }
    }
}
