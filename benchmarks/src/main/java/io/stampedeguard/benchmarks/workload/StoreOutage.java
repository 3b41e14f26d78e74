package io.stampedeguard.benchmarks.workload;

import io.stampedeguard.benchmarks.crew.Crew;
import io.stampedeguard.benchmarks.crew.Round;
import io.stampedeguard.benchmarks.crew.Series;
import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.peer.PeerOptions;
import io.stampedeguard.benchmarks.result.Goal;
import io.stampedeguard.benchmarks.result.Second;
import io.stampedeguard.benchmarks.traffic.Timeline;
import io.stampedeguard.benchmarks.traffic.Traffic;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.fault.FaultProxy;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.fleet.WallClock;
import io.stampedeguard.testbed.measure.Figures;
import io.stampedeguard.testbed.measure.Latencies;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * W10 and W10b: 4 JVMs × 32 callers request 2,000 warm keys by Zipf's law, with 2 ms of think time, while Redis or the origin has a
 * fault. A load takes 20 ms, and each process has 10 connections to the origin. The TTL is longer than a round, so that a healthy
 * cache loads only to refresh early; for a fault of the origin it is short, and stale values may be served for longer than the
 * fault lasts.
 *
 * <ol>
 *   <li>Each round has a Redis and processes of its own. Each process reads all keys; then all callers warm up.
 *   <li>Some seconds without a fault are the measure for the others.
 *   <li>Redis is killed ({@code killed}), stopped ({@code stopped}), slow by 200 ms ({@code slow}), or resets connections ({@code
 *       reset}). The last two faults are those of a proxy; the callers use it before and after as well. Or a load takes ten times as
 *       long ({@code slow-origin}): then the origin cannot load each key once per TTL.
 *   <li>The fault ends: a killed Redis is back, empty.
 * </ol>
 */
final class StoreOutage extends Workload {
    private static final String KILLED = "killed";
    private static final String STOPPED = "stopped";
    private static final String SLOW = "slow";
    private static final String RESET = "reset";
    private static final String SLOW_ORIGIN = "slow-origin";

    private static final String NEAR = "guarded-near";
    private static final int PROCESSES = 4;
    private static final int CALLERS = 32;
    private static final int KEYS = 2_000;
    private static final int ORIGIN_CONNECTIONS = 10;
    private static final long SEED = 1;
    private static final Duration THINK = Duration.ofMillis(2);
    private static final Duration LOAD = Duration.ofMillis(20);
    private static final Duration TTL = Duration.ofSeconds(60);
    private static final Duration SHORT_TTL = Duration.ofSeconds(5);
    private static final Duration HARD_TTL = Duration.ofSeconds(60);

    private static final Duration DELAY = Duration.ofMillis(200);
    private static final Duration JITTER = Duration.ofMillis(20);
    private static final double RESET_SHARE = 0.3;
    private static final long BETWEEN_RESETS_MICROS = TimeUnit.MILLISECONDS.toMicros(500);

    private static final Phases KILL = new Phases(5, 10, 20, 15);
    private static final Phases DISTURBANCE = new Phases(5, 10, 15, 15);

    /**
     * At first, compilers take the processors: near copies have answered until then, so reads of Redis are new to the JVM. Shorter than
     * the TTL, as reloads are another matter.
     */
    private static final Phases RESETS = new Phases(5, 10, 30, 15);

    private static final Phases QUICK = new Phases(1, 2, 3, 3);

    /** The first seconds of the fault, in which a peer may still find out about it. */
    private static final int DETECTION_SECONDS = 2;

    /** The last seconds of a fault, as a share of all. */
    private static final int LATE_SHARE = 3;

    private static final int RECOVERY_SECONDS = 5;
    private static final double RECOVERED = 0.95;
    private static final long SECOND_MICROS = TimeUnit.SECONDS.toMicros(1);
    private static final long MOST_LOADS_AT_ONCE = 32L * PROCESSES;
    private static final double LOADS_PER_SECOND = (double) KEYS * PROCESSES / TTL.toSeconds();

    private final Phases usual;

    private StoreOutage(String name, String about, List<String> configs, Phases usual) {
        super(
                name,
                about,
                configs,
                Defaults.of(Goal.OURS, NEAR, "cache-aside")
                        .only(PeerKind::shared)
                        .rounds(0, 1, 1));
        this.usual = usual;
    }

    /** Returns W10. */
    static StoreOutage killed() {
        return new StoreOutage(
                "W10",
                "Redis is killed for 20 s and restarted empty, 4 JVM × 32 callers on 2,000 warm keys (only if named)",
                List.of(KILLED),
                KILL);
    }

    /** Returns W10b. */
    static StoreOutage disturbed() {
        return new StoreOutage(
                "W10b",
                "Redis is stopped, slow by 200 ms, or resets 30 % of its connections (for 30 s), or the origin is ten times slower, for 15 s, callers as in W10 (only if named)",
                List.of(STOPPED, SLOW, RESET, SLOW_ORIGIN),
                DISTURBANCE);
    }

    /** The lengths of the phases of a round, in seconds; the first one is not measured. */
    record Phases(int warmUp, int before, int fault, int after) {
        int faultEnds() {
            return before + fault;
        }

        int measured() {
            return before + fault + after;
        }

        String phaseOf(int second) {
            if (second < before) {
                return "before";
            }
            return second < faultEnds() ? "fault" : "after";
        }
    }

    @Override
    public boolean onRequest() {
        return true;
    }

    /** The site is not used: its Redis and its processes stay as they are. */
    @Override
    public Figures round(Site site, Turn turn) throws InterruptedException {
        Phases phases = turn.quick() ? QUICK : turn.config().equals(RESET) ? RESETS : usual;
        try (RedisProcess redis = RedisServer.startProcess();
                FaultProxy proxy = FaultProxy.start(redis.host(), redis.port(), SEED);
                Crew crew =
                        Crew.start(PROCESSES, isOfProxy(turn.config()) ? proxy.uri() : redis.uri(), turn.purpose())) {
            Scene scene = new Scene(turn, phases, redis, proxy, crew.members(PROCESSES));
            scene.warmUp();
            Timeline timeline = scene.run();
            seconds(timeline, phases).forEach(turn.seconds());
            return figures(timeline, phases);
        }
    }

    private static boolean isOfProxy(String config) {
        return config.equals(SLOW) || config.equals(RESET);
    }

    /** The work of a round, with its resources. */
    private record Scene(Turn turn, Phases phases, RedisProcess redis, FaultProxy proxy, List<FleetMember> members) {
        void warmUp() throws InterruptedException {
            Round reading = round();
            List<Integer> readers = reading.begin(
                    members, Series.existing(turn.key(), KEYS).by(CALLERS).loading(LOAD));
            reading.release();
            reading.tally(readers);

            Round warming = round();
            List<Integer> callers = drive(warming, phases.warmUp(), false);
            warming.release();
            warming.timeline(callers, phases.warmUp());
        }

        Timeline run() throws InterruptedException {
            Round round = round();
            List<Integer> callers =
                    drive(round, phases.measured(), turn.config().equals(SLOW_ORIGIN));
            long released = round.release();
            WallClock.awaitMicros(released + phases.before() * SECOND_MICROS);
            disturb(released + phases.faultEnds() * SECOND_MICROS);
            return round.timeline(callers, phases.measured());
        }

        private Round round() {
            PeerOptions options = turn.config().equals(SLOW_ORIGIN)
                    ? PeerOptions.ttl(SHORT_TTL).keepingStale(HARD_TTL)
                    : PeerOptions.ttl(TTL);
            return new Round(turn.peer(), options);
        }

        private List<Integer> drive(Round round, int seconds, boolean slows) throws InterruptedException {
            List<Integer> tickets = new ArrayList<>();
            for (FleetMember member : members) {
                long seed = SEED + (long) CALLERS * member.index();
                Traffic usual = new Traffic(turn.key(), KEYS, CALLERS, THINK, LOAD, ORIGIN_CONNECTIONS, seconds, seed);
                tickets.add(round.begin(member, slows ? usual.slow(phases.before(), phases.faultEnds()) : usual));
            }
            return tickets;
        }

        /** Begins the fault now, and ends it at an instant. */
        private void disturb(long until) throws InterruptedException {
            switch (turn.config()) {
                case KILLED -> {
                    redis.kill();
                    WallClock.awaitMicros(until);
                    redis.restart();
                }
                case STOPPED -> {
                    redis.pause();
                    WallClock.awaitMicros(until);
                    redis.resume();
                }
                case SLOW -> {
                    proxy.delayAnswers(DELAY, JITTER);
                    WallClock.awaitMicros(until);
                    proxy.heal();
                }
                case SLOW_ORIGIN -> WallClock.awaitMicros(until); // by the loads themselves
                default -> {
                    proxy.resetNew(RESET_SHARE);
                    while (WallClock.micros() < until) {
                        proxy.reset(RESET_SHARE);
                        WallClock.awaitMicros(Math.min(until, WallClock.micros() + BETWEEN_RESETS_MICROS));
                    }
                    proxy.heal();
                }
            }
        }
    }

    static List<Second> seconds(Timeline timeline, Phases phases) {
        long[] loads = timeline.loads();
        long[] atOnce = timeline.loadsAtOnce();
        return IntStream.range(0, timeline.length())
                .mapToObj(i -> {
                    Figures figures = Figures.none()
                            .with("gets", timeline.gets(i, i + 1))
                            .with("loads", loads[i])
                            .with("maxConcurrentLoads", atOnce[i]);
                    Latencies calls = timeline.calls(i, i + 1);
                    if (calls.count() > 0) {
                        figures =
                                figures.withMillis("p50Ms", calls.millisAt(50)).withMillis("p99Ms", calls.millisAt(99));
                    }
                    figures = figures.with("errors", timeline.errors(i, i + 1));
                    return new Second(i, phases.phaseOf(i), timeline.breaker(i), figures);
                })
                .toList();
    }

    static Figures figures(Timeline timeline, Phases phases) {
        int begins = phases.before();
        int ends = phases.faultEnds();
        int steady = begins + DETECTION_SECONDS;
        double before = getsPerSecond(timeline, 0, begins);
        int late = ends - phases.fault() / LATE_SHARE;
        long[] loads = timeline.loads();
        return Figures.none()
                .withRate("getsPerSecondBefore", before)
                .withRate("getsPerSecond", getsPerSecond(timeline, steady, ends))
                .withRate("getsRatio", getsPerSecond(timeline, steady, ends) / before)
                .withRate("getsRatioLate", getsPerSecond(timeline, late, ends) / before)
                .withMillis("p99MsBefore", p99(timeline.calls(0, begins)))
                .withMillis("p99Ms", p99(timeline.calls(begins, ends)))
                .withMillis("p99MsFromThirdSecond", p99(timeline.calls(steady, ends)))
                .withMillis("maxMs", timeline.callsFrom(begins).millisAt(100))
                .with("slowCallsOfACaller", timeline.slowCallsOfACaller())
                .withRate("loadsPerSecondBefore", (double) sum(loads, 0, begins) / begins)
                .withRate("loadsPerSecond", (double) sum(loads, begins, ends) / phases.fault())
                .with("mostLoadsInASecond", most(loads, begins, ends))
                .with("maxConcurrentLoads", most(timeline.loadsAtOnce(), begins, loads.length))
                .with("mostLoadsOfAKey", timeline.mostLoadsOfAKey(begins, ends))
                .with("misses", timeline.misses(begins, ends))
                .with("loadsInRecovery", sum(loads, ends, Math.min(ends + RECOVERY_SECONDS, loads.length)))
                .with("loadsAfter", sum(loads, ends, loads.length))
                .withRate("secondsToHitRate", secondsToHitRate(timeline, phases))
                .withRate("secondsToHitsPerSecond", secondsToHits(timeline, phases))
                .with("errors", timeline.errors());
    }

    private static double getsPerSecond(Timeline timeline, int from, int to) {
        return (double) timeline.gets(from, to) / (to - from);
    }

    /** Infinite if no call ended. */
    private static double p99(Latencies calls) {
        return calls.count() == 0 ? Double.POSITIVE_INFINITY : calls.millisAt(99);
    }

    private static long sum(long[] numbers, int from, int to) {
        return Arrays.stream(numbers, from, to).sum();
    }

    private static long most(long[] numbers, int from, int to) {
        return Arrays.stream(numbers, from, to).max().orElse(0);
    }

    /** Counts the seconds after the fault in which the share of hits is below that before it; infinite if it stays so. */
    private static double secondsToHitRate(Timeline timeline, Phases phases) {
        double before = hitRate(timeline, 0, phases.before());
        return secondsUntil(phases, second -> hitRate(timeline, second, second + 1) >= RECOVERED * before);
    }

    private static double hitRate(Timeline timeline, int from, int to) {
        long calls = timeline.gets(from, to) + timeline.errors(from, to);
        return calls == 0 ? 0 : (double) timeline.hits(from, to) / calls;
    }

    /** As {@link #secondsToHitRate}, with the number of hits instead of their share. */
    private static double secondsToHits(Timeline timeline, Phases phases) {
        double before = (double) timeline.hits(0, phases.before()) / phases.before();
        return secondsUntil(phases, second -> timeline.hits(second, second + 1) >= RECOVERED * before);
    }

    private static double secondsUntil(Phases phases, IntPredicate recovered) {
        return IntStream.range(phases.faultEnds(), phases.measured())
                .filter(recovered)
                .mapToDouble(second -> second - phases.faultEnds())
                .findFirst()
                .orElse(Double.POSITIVE_INFINITY);
    }

    @Override
    public List<Goal> goals() {
        return configs().stream().flatMap(StoreOutage::goalsOf).toList();
    }

    private static Stream<Goal> goalsOf(String config) {
        Stream<Goal> each = Stream.of(
                        Goal.everyRound(config, "maxConcurrentLoads", MOST_LOADS_AT_ONCE),
                        Goal.everyRound(config, "secondsToHitRate", RECOVERY_SECONDS),
                        Goal.everyRound(config, "errors", 0))
                .flatMap(StoreOutage::withAndWithoutNearCache);
        return Stream.concat(each, config.equals(SLOW_ORIGIN) ? goalsOfOrigin() : goalsOfStore(config));
    }

    private static Stream<Goal> withAndWithoutNearCache(Goal goal) {
        return Stream.of(goal, goal.of(NEAR));
    }

    /** Callers wait for none of the keys: the caches have had all of them. */
    private static Stream<Goal> goalsOfOrigin() {
        return withAndWithoutNearCache(Goal.everyRound(SLOW_ORIGIN, "misses", 0));
    }

    private static Stream<Goal> goalsOfStore(String config) {
        String p99 = config.equals(KILLED) ? "p99Ms" : "p99MsFromThirdSecond";
        Stream<Goal> during = Stream.of(
                Goal.everyRoundAtLeast(config, "getsRatio", 0.9).of(NEAR),
                Goal.everyRound(config, p99, 5).of(NEAR),
                Goal.everyRound(config, "loadsPerSecond", LOADS_PER_SECOND).of(NEAR),
                Goal.everyRound(config, "slowCallsOfACaller", 1).of(NEAR),
                Goal.everyRound(config, "mostLoadsOfAKey", 1));
        return switch (config) {
            case KILLED -> Stream.concat(during, goalsOfRestart());
            case RESET ->
                Stream.concat(
                        during,
                        Stream.of(Goal.everyRoundAtLeast(RESET, "getsRatioLate", 0.9)
                                .of(NEAR)));
            default -> during;
        };
    }

    /** Each key is loaded once in the fleet. */
    private static Stream<Goal> goalsOfRestart() {
        return withAndWithoutNearCache(Goal.everyRound(KILLED, "loadsInRecovery", KEYS));
    }
}
