package io.stampedeguard.benchmarks.workload;

import io.stampedeguard.benchmarks.crew.Round;
import io.stampedeguard.benchmarks.crew.Series;
import io.stampedeguard.benchmarks.crew.Tally;
import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.peer.PeerOptions;
import io.stampedeguard.benchmarks.peer.Peers;
import io.stampedeguard.benchmarks.result.Goal;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.measure.Figures;
import io.stampedeguard.testbed.measure.RedisMemory;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * W12: nonexistent keys, each requested once, as fast as 16 threads of a JVM with both compilers can. The origin has as
 * many existing keys.
 *
 * <ol>
 *   <li>All peers and connections are used once; then Redis is emptied, and its memory is measured.
 *   <li>Another process fills the key filter of the peer.
 *   <li>The nonexistent keys are requested, and Redis' memory is measured again.
 *   <li>Each existing key is looked up in the filter, and some of them in the cache.
 * </ol>
 */
final class NonexistentKeys extends Workload {
    private static final String PLAIN = "1x16";
    private static final String NEGATIVES = "1x16-negatives";
    private static final int THREADS = 16;
    private static final int KEYS = 1_000_000;
    private static final int QUICK_KEYS = 20_000;
    private static final int WARM_UP_KEYS = 2_000;
    private static final int QUICK_WARM_UP_KEYS = 200;

    /** Peers without a filter take so long for each key that they get fewer requests. */
    private static final int KEYS_OF_OTHERS = 100_000;

    private static final int REAL_SAMPLE = 10_000;
    private static final int QUICK_SAMPLE = 1_000;

    /** The longest TTL that a policy allows, so that no entry expires before the last request. */
    private static final Duration NEGATIVE_TTL = Duration.ofMinutes(5);

    private static final double MOST_LOADS = 10_500;

    NonexistentKeys() {
        super(
                "W12",
                "nonexistent keys: 1,000,000, beside 1,000,000 real ones, with 16 threads; without and with negative caching",
                List.of(PLAIN, NEGATIVES),
                Defaults.of(Peers.FILTERED, Goal.OURS)
                        .only(PeerKind::readsRedis)
                        .rounds(1, 3, 1));
    }

    @Override
    public Figures round(Site site, Turn turn) throws InterruptedException {
        int real = turn.quick() ? QUICK_KEYS : KEYS;
        Attack attack = new Attack(site, turn, options(turn, real));
        attack.warmUp();
        site.emptyRedis();
        RedisMemory before = site.redisMemory();
        attack.know(real);
        Walk nonexistent = attack.walk(
                Series.nonexistent(turn.key() + "-none", nonexistent(turn)).by(THREADS));
        RedisMemory after = site.redisMemory();
        OptionalLong impossible = attack.countImpossible(real);
        Walk sample = attack.walk(Series.existing(attack.realKeys(), turn.quick() ? QUICK_SAMPLE : REAL_SAMPLE)
                .by(THREADS));
        return figures(nonexistent, impossible.orElse(0), sample.tally())
                .withRate("redisMemoryMiB", after.mebibytesSince(before));
    }

    private static PeerOptions options(Turn turn, int real) {
        Duration negatives = turn.config().equals(NEGATIVES) ? NEGATIVE_TTL : Duration.ZERO;
        return PeerOptions.usual().filtering(real).keepingNegatives(negatives);
    }

    private static int nonexistent(Turn turn) {
        if (turn.quick()) {
            return QUICK_KEYS;
        }
        return turn.peer().name().equals(Peers.FILTERED) ? KEYS : KEYS_OF_OTHERS;
    }

    /** The work of a round, with its resources. */
    private record Attack(Site site, Turn turn, PeerOptions options) {
        String realKeys() {
            return turn.key() + "-real";
        }

        void warmUp() throws InterruptedException {
            int keys = turn.quick() ? QUICK_WARM_UP_KEYS : WARM_UP_KEYS;
            round().know(site.crew().member(0), turn.key() + "-warm", keys);
            walk(Series.nonexistent(turn.key() + "-cold", keys).by(THREADS));
            walk(Series.existing(turn.key() + "-warm", keys).by(THREADS));
        }

        void know(int real) throws InterruptedException {
            round().know(site.crew().member(0), realKeys(), real);
        }

        OptionalLong countImpossible(int real) throws InterruptedException {
            return round().countImpossible(site.alone(), realKeys(), real);
        }

        Walk walk(Series series) throws InterruptedException {
            FleetMember asking = site.alone();
            Round round = round();
            int ticket = round.begin(asking, series);
            long released = round.release();
            return new Walk(released, round.tally(List.of(ticket)));
        }

        private Round round() {
            return turn.round(options);
        }
    }

    /** The result of a series, and when it began. */
    record Walk(long released, Tally tally) {}

    static Figures figures(Walk nonexistent, long impossible, Tally sample) {
        return Figures.none()
                .with("nonexistentKeys", nonexistent.tally().latencies().count())
                .with("loads", nonexistent.tally().loads())
                .with("realDeclaredAbsent", impossible + sample.absent())
                .withPerSecond(
                        "opsPerSecond",
                        nonexistent.tally().latencies().count(),
                        nonexistent.released(),
                        nonexistent.tally().lastMicros())
                .withMillis("p99Ms", nonexistent.tally().latencies().millisAt(99))
                .with("errors", nonexistent.tally().failures() + sample.failures());
    }

    @Override
    public List<Goal> goals() {
        return Stream.of(
                        Goal.everyRound(PLAIN, "loads", MOST_LOADS),
                        Goal.everyRound(PLAIN, "realDeclaredAbsent", 0),
                        Goal.everyRound(PLAIN, "redisMemoryMiB", 2),
                        Goal.everyRound(NEGATIVES, "realDeclaredAbsent", 0),
                        Goal.everyRound(NEGATIVES, "redisMemoryMiB", 5))
                .map(goal -> goal.of(Peers.FILTERED))
                .toList();
    }
}
