package io.stampedeguard.benchmarks.workload;

import io.stampedeguard.benchmarks.crew.Crew;
import io.stampedeguard.benchmarks.crew.Round;
import io.stampedeguard.benchmarks.crew.Series;
import io.stampedeguard.benchmarks.crew.Tally;
import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.result.Goal;
import io.stampedeguard.testbed.measure.Figures;
import io.stampedeguard.testbed.measure.RedisCommands;
import io.stampedeguard.testbed.measure.RedisCpu;
import java.time.Duration;
import java.util.List;

/**
 * W14: 16 threads of one JVM with both compilers request distinct absent keys, each once, so that nobody waits for the load of
 * another; loads return at once. Each round has a JVM of its own, which warms up for 3 s on other keys, and is measured for 4 s: a
 * peer that keeps something for each key does not slow the next one.
 */
final class UncontendedMiss extends Workload {
    private static final String CONFIG = "1x16";
    private static final int THREADS = 16;
    private static final int COUNTED = 7;
    private static final int QUICKLY = 2;

    /** More than can be requested in a round. */
    private static final int KEYS = 1_000_000_000;

    private static final Duration WARM_UP = Duration.ofSeconds(3);
    private static final Duration LENGTH = Duration.ofSeconds(4);
    private static final Duration QUICK_LENGTH = Duration.ofMillis(200);
    private static final double MICROS_PER_SECOND = 1e6;

    UncontendedMiss() {
        super(
                "W14",
                "uncontended misses, 1 JVM × 16 threads, distinct cold keys, each requested once, loads return at once",
                List.of(CONFIG));
    }

    /** Each JVM warms up by itself. */
    @Override
    public Rounds rounds(PeerKind peer, Effort effort) {
        return new Rounds(0, effort.countedRounds(COUNTED, QUICKLY));
    }

    @Override
    public Figures round(Site site, Turn turn) throws InterruptedException {
        site.emptyRedis();
        try (Crew crew = Crew.startOptimized(site.redisUri())) {
            Round warmUp = turn.round();
            int warming = miss(warmUp, crew, turn.key() + "-warm", turn.quick() ? QUICK_LENGTH : WARM_UP);
            warmUp.release();
            warmUp.tally(List.of(warming));

            Round round = turn.round();
            int ticket = miss(round, crew, turn.key(), turn.quick() ? QUICK_LENGTH : LENGTH);
            RedisWork before = RedisWork.of(site);
            long released = round.release();
            Tally tally = round.tally(List.of(ticket));
            return figures(tally, released, RedisWork.of(site).since(before));
        }
    }

    private static int miss(Round round, Crew crew, String key, Duration length) throws InterruptedException {
        return round.walk(crew.member(0), Series.existing(key, KEYS).by(THREADS).atMost(length));
    }

    /** The counters of Redis at an instant. */
    private record RedisWork(RedisCommands commands, long socketReads, RedisCpu cpu) {
        static RedisWork of(Site site) throws InterruptedException {
            RedisCommands settled = site.commands();
            return new RedisWork(settled, site.redisSocketReads(), site.redisCpu());
        }

        Spent since(RedisWork earlier) {
            return new Spent(
                    commands.since(earlier.commands), socketReads - earlier.socketReads, cpu.microsSince(earlier.cpu));
        }
    }

    /** What a round cost Redis. */
    record Spent(long commands, long socketReads, double cpuMicros) {}

    static Figures figures(Tally tally, long released, Spent redis) {
        double misses = tally.latencies().count();
        return Figures.none()
                .withRate("opsPerSecond", misses / ((tally.lastMicros() - released) / MICROS_PER_SECOND))
                .withMillis("p50Ms", tally.latencies().millisAt(50))
                .withMillis("p99Ms", tally.latencies().millisAt(99))
                .withRate("redisCommandsPerOp", redis.commands() / misses)
                .withRate("roundTripsPerOp", redis.socketReads() / misses)
                .withRate("cpuMicrosPerOp", tally.processorMicros() / misses)
                .withRate("redisCpuMicrosPerOp", redis.cpuMicros() / misses)
                .withRate("loadsPerKey", tally.loads() / misses)
                .with("errors", tally.absent() + tally.failures());
    }

    @Override
    public List<Goal> goals() {
        return List.of(
                Goal.ratio(CONFIG, "opsPerSecond", "cache-aside", Goal.atLeast(0.7)),
                Goal.median(CONFIG, "redisCommandsPerOp", 6),
                Goal.everyRound(CONFIG, "loadsPerKey", 1),
                Goal.everyRound(CONFIG, "errors", 0));
    }
}
