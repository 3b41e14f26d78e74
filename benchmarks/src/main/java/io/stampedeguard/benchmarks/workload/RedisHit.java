package io.stampedeguard.benchmarks.workload;

import io.stampedeguard.benchmarks.crew.Answers;
import io.stampedeguard.benchmarks.crew.Hits;
import io.stampedeguard.benchmarks.crew.Round;
import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.peer.PeerOptions;
import io.stampedeguard.benchmarks.peer.Peers;
import io.stampedeguard.benchmarks.result.Goal;
import io.stampedeguard.testbed.measure.Figures;
import io.stampedeguard.testbed.measure.RedisCpu;
import io.stampedeguard.testbed.program.ThreadKind;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * W2: one JVM with both compilers reads 1,000 keys that are in Redis, as fast as its threads can, one by one or 100 at
 * once. Each peer has one connection per thread, at most 64.
 */
final class RedisHit extends Workload {
    private static final int KEYS = 1_000;
    private static final int BATCH = 100;

    /** Compared with values alone, which are 50 bytes shorter than entries: about 1.1 of the same bytes. */
    private static final double MOST_OF_MGET = 1.2;

    private static final int MOST_CONNECTIONS = 64;
    private static final Duration LENGTH = Duration.ofSeconds(2);
    private static final Duration QUICK_LENGTH = Duration.ofMillis(200);

    private static final List<Readers> ALL = Stream.of(
                    new Readers(1, ThreadKind.PLATFORM, 1),
                    new Readers(16, ThreadKind.PLATFORM, 1),
                    new Readers(64, ThreadKind.PLATFORM, 1),
                    new Readers(1, ThreadKind.PLATFORM, BATCH),
                    new Readers(64, ThreadKind.VIRTUAL, 1),
                    new Readers(1_000, ThreadKind.VIRTUAL, 1))
            .filter(readers -> readers.kind().isAvailable())
            .toList();

    /** The threads that read at once. */
    private record Readers(int threads, ThreadKind kind, int atOnce) {
        String config() {
            return "1x" + threads + (kind == ThreadKind.PLATFORM ? "" : "-virtual") + (atOnce == 1 ? "" : "-getAll");
        }
    }

    RedisHit() {
        super(
                "W2",
                "hits on Redis without near cache, 1,000 keys of 100 bytes, with 1, 16, 64 threads (Java 21: and virtual), and 100 keys at once",
                ALL.stream().map(Readers::config).toList(),
                Defaults.of(Goal.OURS, Peers.BARE).rounds(3, 7, 1));
    }

    @Override
    public boolean suits(PeerKind peer) {
        return peer.readsRedis();
    }

    @Override
    public Figures round(Site site, Turn turn) throws InterruptedException {
        Readers readers = ALL.get(configs().indexOf(turn.config()));
        Duration length = turn.quick() ? QUICK_LENGTH : LENGTH;
        Round round = turn.round(PeerOptions.connections(Math.min(readers.threads(), MOST_CONNECTIONS)));
        int ticket = round.begin(
                site.alone(), new Hits(turn.key(), KEYS, readers.threads(), readers.kind(), readers.atOnce(), length));
        RedisCpu before = site.redisCpu();
        long released = round.release();
        Answers answers = round.answers(ticket);
        return figures(answers, released, site.redisCpu().microsSince(before));
    }

    static Figures figures(Answers answers, long released, double redisCpuMicros) {
        long hits = answers.latencies().count();
        return Figures.none()
                .withPerSecond("opsPerSecond", hits, released, answers.lastMicros())
                .withMillis("p50Ms", answers.latencies().millisAt(50))
                .withMillis("p99Ms", answers.latencies().millisAt(99))
                .withRate("redisCpuMicrosPerOp", redisCpuMicros / hits)
                .with("errors", answers.failures());
    }

    @Override
    public List<Goal> goals() {
        return List.of(
                Goal.ratio("1x1", "opsPerSecond", Peers.BARE, Goal.atLeast(0.97)),
                Goal.ratio("1x64", "opsPerSecond", Peers.BARE, Goal.atLeast(1.6)),
                Goal.ratio("1x64", "p99Ms", Peers.BARE, Goal.atMost(0.5)),
                Goal.ratio("1x64", "redisCpuMicrosPerOp", Peers.BARE, Goal.atMost(0.2)),
                Goal.ratio("1x64-virtual", "opsPerSecond", Peers.BARE, Goal.atLeast(4)),
                Goal.ratio("1x1000-virtual", "opsPerSecond", Peers.BARE, Goal.atLeast(7)),
                Goal.ratio("1x1-getAll", "opsPerSecond", Peers.BARE, Goal.atLeast(1 / MOST_OF_MGET)));
    }
}
