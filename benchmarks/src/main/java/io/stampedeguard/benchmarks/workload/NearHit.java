package io.stampedeguard.benchmarks.workload;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.benchmarks.NearHitBenchmark;
import io.stampedeguard.benchmarks.PeerNearHitBenchmark;
import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.peer.Peers;
import io.stampedeguard.benchmarks.result.Goal;
import io.stampedeguard.testbed.fleet.MemberCommand;
import io.stampedeguard.testbed.measure.Figures;
import java.util.List;
import java.util.stream.Stream;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** W1: a hit in the process, with 1 and 2 threads. In each round JMH measures one peer in a JVM of its own. */
final class NearHit extends Workload {
    private static final int FIRST_JAVA_THAT_WARNS = 24;

    private static final String NEAR = "guarded-near";
    private static final String CAFFEINE = "caffeine";
    private static final List<String> CONFIGS = List.of("1x1-Long", "1x2-Long", "1x1-String", "1x2-String");
    private static final int ITERATIONS = 5;
    private static final TimeValue LENGTH = TimeValue.milliseconds(500);
    private static final TimeValue QUICK_LENGTH = TimeValue.milliseconds(20);
    private static final String ALLOCATED = "gc.alloc.rate.norm";
    private static final double MOST_BYTES = 0.1;

    NearHit() {
        super(
                "W1",
                "hits in the process, 1,000 keys, with 1 and 2 threads, measured by JMH in a JVM of its own each round",
                CONFIGS,
                // Each JVM warms up by itself.
                Defaults.of(NEAR, CAFFEINE).rounds(0, 7, 1));
    }

    @Override
    public boolean suits(PeerKind peer) {
        return usualPeers().contains(peer.name()) || (isOnRequest(peer) && !peer.readsRedis());
    }

    /** The keys of peers on request are strings. */
    @Override
    public boolean suits(PeerKind peer, String config) {
        return !isOnRequest(peer) || config.endsWith("String");
    }

    private static boolean isOnRequest(PeerKind peer) {
        return Peers.moduleOf(peer.name()) != null;
    }

    @Override
    public Figures round(Site site, Turn turn) throws InterruptedException {
        try {
            RunResult result = new Runner(options(site, turn)).runSingle();
            return Figures.none()
                    .withRate("nsPerOp", result.getPrimaryResult().getScore())
                    .withRate("bytesPerOp", bytesPerOp(result));
        } catch (RunnerException e) {
            throw new IllegalStateException("JMH could not measure " + turn.peer(), e);
        }
    }

    private static Options options(Site site, Turn turn) {
        TimeValue length = turn.quick() ? QUICK_LENGTH : LENGTH;
        int iterations = turn.quick() ? 1 : ITERATIONS;
        String[] config = turn.config().split("[x-]", -1);
        ChainedOptionsBuilder builder = new OptionsBuilder();
        if (isOnRequest(turn.peer())) {
            builder.include(PeerNearHitBenchmark.class.getName() + ".hit$")
                    .param("peer", turn.peer().name());
        } else {
            String method = turn.peer().name().equals(NEAR) ? "guardedNear" : "caffeine";
            builder.include(NearHitBenchmark.class.getName() + "." + method + "$");
        }
        return builder.param("keyType", config[2])
                .threads(Integer.parseInt(config[1]))
                .forks(1)
                .jvmArgs(jvmArguments(site, turn))
                .warmupIterations(iterations)
                .warmupTime(length)
                .measurementIterations(iterations)
                .measurementTime(length)
                .addProfiler(GCProfiler.class)
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT)
                .build();
    }

    private static double bytesPerOp(RunResult result) {
        return requireNonNull(result.getSecondaryResults().get(ALLOCATED), "the profiler has no result")
                .getScore();
    }

    @Override
    public List<Goal> goals() {
        return CONFIGS.stream()
                .flatMap(config -> List.of(
                        Goal.ratio(config, "nsPerOp", CAFFEINE, Goal.atMost(1.15))
                                .of(NEAR),
                        Goal.everyRound(config, "bytesPerOp", MOST_BYTES).of(NEAR))
                        .stream())
                .toList();
    }

    /** Newer JVMs print warnings about JMH's instrumentation on the fork's output. */
    private static String[] jvmArguments(Site site, Turn turn) {
        Stream<String> usual = Stream.of("-Xms512m", "-Xmx512m", "-Dstampede.redis=" + site.redisUri());
        Stream<String> all = turn.quick() ? Stream.concat(usual, MemberCommand.SMALL.stream()) : usual;
        return Runtime.version().feature() < FIRST_JAVA_THAT_WARNS
                ? all.toArray(String[]::new)
                : Stream.concat(all, Stream.of("--sun-misc-unsafe-memory-access=allow"))
                        .toArray(String[]::new);
    }
}
