package io.stampedeguard.benchmarks.traffic;

import io.stampedeguard.benchmarks.peer.Peer;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.fleet.ReleasedThreads;
import io.stampedeguard.testbed.fleet.WallClock;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.commons.rng.sampling.distribution.RejectionInversionZipfSampler;
import org.apache.commons.rng.sampling.distribution.SharedStateDiscreteSampler;
import org.apache.commons.rng.simple.RandomSource;

/** The callers of one {@link Traffic}: they get ready, are released, and send their requests. */
public final class TrafficRun {
    /** As published of a production cache. */
    private static final double ZIPF_EXPONENT = 1.1;

    private static final int VALUE_BYTES = 100;
    private static final String VALUE = "v".repeat(VALUE_BYTES);
    private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long SECOND_MICROS = TimeUnit.SECONDS.toMicros(1);

    private final Traffic traffic;
    private final Peer peer;
    private final String[] keys;
    private final Semaphore connections;
    private final Timeline timeline;
    private final ReleasedThreads callers;
    private final ReleasedThreads sampler;

    /** Starts the callers; returns when each of them is ready. */
    public TrafficRun(Traffic traffic, Peer peer, Executor threads, CompletableFuture<Long> release)
            throws InterruptedException {
        this.traffic = traffic;
        this.peer = peer;
        this.keys = IntStream.range(0, traffic.keys())
                .mapToObj(i -> traffic.key() + "-" + i)
                .toArray(String[]::new);
        this.connections = new Semaphore(traffic.originConnections(), true);
        this.timeline = new Timeline(traffic.seconds());
        this.callers = ReleasedThreads.start(
                traffic.callers(), threads, release, caller -> released -> new Caller(caller, released).run());
        this.sampler = ReleasedThreads.start(1, threads, release, one -> this::sample);
        callers.awaitReady();
        sampler.awaitReady();
    }

    /** Waits for the last answer of the last caller, and adds the timeline to a message. */
    public Message awaitEnd(Message message) throws InterruptedException {
        callers.awaitEnd();
        sampler.awaitEnd();
        return timeline.in(message);
    }

    /** Takes what only the peer knows, at the end of each second. */
    private void sample(long released) throws InterruptedException {
        WallClock.awaitMicros(released);
        OptionalLong before = peer.waits();
        for (int second = 0; second < traffic.seconds(); second++) {
            WallClock.awaitMicros(released + (second + 1) * SECOND_MICROS);
            OptionalLong now = peer.waits();
            timeline.addMisses(second, now.orElse(0) - before.orElse(0));
            timeline.addBreaker(second, peer.breaker());
            before = now;
        }
    }

    /** One caller, and its loads, some of which the peer may run on other threads. */
    private final class Caller implements Peer.Load {
        private final long released;
        private final Thread thread = Thread.currentThread();
        private final SharedStateDiscreteSampler ranks;
        private boolean loaded;
        private int slowCalls;

        Caller(int number, long released) {
            this.released = released;
            this.ranks = RejectionInversionZipfSampler.of(
                    RandomSource.XO_SHI_RO_256_PP.create(traffic.seed() + number), keys.length, ZIPF_EXPONENT);
        }

        void run() throws InterruptedException {
            WallClock.awaitMicros(released);
            while (sinceRelease() < traffic.seconds() * SECOND_MICROS) {
                request(keys[ranks.sample() - 1]);
                TimeUnit.NANOSECONDS.sleep(traffic.think().toNanos());
            }
            timeline.addSlowCallsOfACaller(slowCalls);
        }

        private long sinceRelease() {
            return WallClock.micros() - released;
        }

        private void request(String key) {
            loaded = false;
            long began = System.nanoTime();
            boolean answered = isAnswered(key);
            long took = System.nanoTime() - began;
            int second = (int) (sinceRelease() / SECOND_MICROS);
            timeline.addCall(second, took, answered);
            timeline.addMisses(second, loaded ? 1 : 0);
            slowCalls += took > SLOW_NANOS ? 1 : 0;
        }

        @SuppressWarnings("CatchingUnchecked") // a peer may throw anything
        private boolean isAnswered(String key) {
            try {
                String value = peer.get(key, this);
                return value != null && value.length() == VALUE_BYTES;
            } catch (Exception failed) {
                return false;
            }
        }

        /** Counts from the request for a connection on: a load that waits for one is in the way of others. */
        @Override
        public String load(String key) throws InterruptedException {
            if (thread.equals(Thread.currentThread())) {
                loaded = true;
            }
            long began = sinceRelease();
            try {
                query();
            } finally {
                timeline.addLoad(began, sinceRelease(), Integer.parseInt(key.substring(key.lastIndexOf('-') + 1)));
            }
            return VALUE;
        }

        private void query() throws InterruptedException {
            connections.acquire();
            try {
                TimeUnit.NANOSECONDS.sleep(traffic.takesAt(sinceRelease()).toNanos());
            } finally {
                connections.release();
            }
        }
    }
}
