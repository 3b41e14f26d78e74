package io.stampedeguard.benchmarks.workload;

import io.stampedeguard.benchmarks.crew.Crew;
import io.stampedeguard.benchmarks.crew.Round;
import io.stampedeguard.benchmarks.crew.Series;
import io.stampedeguard.benchmarks.crew.Tally;
import io.stampedeguard.benchmarks.result.Goal;
import io.stampedeguard.testbed.measure.Figures;
import io.stampedeguard.testbed.measure.RedisCommands;
import io.stampedeguard.testbed.measure.RedisCpu;
import java.time.Duration;
import java.util.List;

/**
 * W14: 16 threads of one JVM request distinct absent keys, each once, so that nobody waits for the load of another; loads return at
 * once. Each round has a new JVM: a peer that keeps something for each key does not slow the next one. {@code first3s} measures its
 * first 3 s; {@code 1x16} measures 4 s once compilation is quiet.
 */
final class UncontendedMiss extends Workload {
    private static final String FIRST = "first3s";
    private static final String WARM = "1x16";
    private static final int THREADS = 16;

    /** More than can be requested in a round. */
    private static final int KEYS = 1_000_000_000;

    private static final Duration FIRST_LENGTH = Duration.ofSeconds(3);
    private static final Duration WARM_LENGTH = Duration.ofSeconds(4);
    private static final Duration QUICK_LENGTH = Duration.ofMillis(200);

    /** The warm-up is checked for its end this often; a long compilation counts when it ends. */
    private static final Duration WARM_UP_STEP = Duration.ofSeconds(2);

    private static final int MOST_WARM_UP_STEPS = 15;
    private static final double QUIET = 0.02;

    UncontendedMiss() {
        super(
                "W14",
                "uncontended misses, 1 JVM × 16 threads, distinct cold keys, each requested once, loads return at once",
                List.of(FIRST, WARM),
                // Each JVM warms up by itself.
                Defaults.USUAL.rounds(0, 7, 1));
    }

    @Override
    public boolean configsTakeTurns() {
        return true;
    }

    @Override
    public Figures round(Site site, Turn turn) throws InterruptedException {
        site.emptyRedis();
        try (Crew crew = Crew.startAlone(site.redisUri(), turn.purpose())) {
            if (turn.config().equals(FIRST)) {
                return measure(site, turn, crew, FIRST_LENGTH);
            }
            int steps = warmUp(turn, crew);
            return measure(site, turn, crew, WARM_LENGTH)
                    .with("warmUpSeconds", steps * length(turn, WARM_UP_STEP).toSeconds());
        }
    }

    /** Requests keys until compilation takes less than 2 % of the time, for 30 s at most; returns the number of steps. */
    private static int warmUp(Turn turn, Crew crew) throws InterruptedException {
        Duration step = length(turn, WARM_UP_STEP);
        for (int steps = 1; steps <= MOST_WARM_UP_STEPS; steps++) {
            long compiling = turn.round()
                    .run(crew.member(0), misses(turn.key() + "-warm-" + steps, step))
                    .compilationMillis();
            if (turn.quick() || compiling < QUIET * step.toMillis()) {
                return steps;
            }
        }
        return MOST_WARM_UP_STEPS;
    }

    private static Figures measure(Site site, Turn turn, Crew crew, Duration length) throws InterruptedException {
        Round round = turn.round();
        int ticket = round.begin(crew.member(0), misses(turn.key(), length(turn, length)));
        RedisWork before = RedisWork.of(site);
        long released = round.release();
        Tally tally = round.tally(List.of(ticket));
        return figures(tally, released, RedisWork.of(site).since(before));
    }

    private static Duration length(Turn turn, Duration usual) {
        return turn.quick() ? QUICK_LENGTH : usual;
    }

    private static Series misses(String key, Duration length) {
        return Series.existing(key, KEYS).by(THREADS).atMost(length);
    }

    /** The counters of Redis at an instant. */
    private record RedisWork(RedisCommands commands, long socketReads, RedisCpu cpu) {
        static RedisWork of(Site site) throws InterruptedException {
            RedisCommands settled = site.commands();
            return new RedisWork(settled, site.redisSocketReads(), site.redisCpu());
        }

        Spent since(RedisWork earlier) {
            return new Spent(
                    commands.workSince(earlier.commands),
                    socketReads - earlier.socketReads,
                    cpu.microsSince(earlier.cpu));
        }
    }

    /** What a round cost Redis. */
    record Spent(long commands, long socketReads, double cpuMicros) {}

    static Figures figures(Tally tally, long released, Spent redis) {
        double misses = tally.latencies().count();
        return Figures.none()
                .withPerSecond("opsPerSecond", tally.latencies().count(), released, tally.lastMicros())
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
                Goal.ratio(FIRST, "opsPerSecond", "cache-aside", Goal.atLeast(0.7)),
                Goal.ratio(WARM, "opsPerSecond", "cache-aside", Goal.atLeast(1.1)),
                Goal.median(WARM, "redisCommandsPerOp", 6),
                Goal.everyRound(WARM, "loadsPerKey", 1),
                Goal.everyRound(WARM, "errors", 0));
    }
}
