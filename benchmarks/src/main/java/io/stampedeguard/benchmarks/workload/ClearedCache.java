package io.stampedeguard.benchmarks.workload;

import io.stampedeguard.benchmarks.crew.Answers;
import io.stampedeguard.benchmarks.crew.Hits;
import io.stampedeguard.benchmarks.crew.Round;
import io.stampedeguard.benchmarks.crew.Series;
import io.stampedeguard.benchmarks.crew.Tally;
import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.peer.PeerOptions;
import io.stampedeguard.benchmarks.peer.Peers;
import io.stampedeguard.benchmarks.result.Goal;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.measure.Figures;
import io.stampedeguard.testbed.program.ThreadKind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * W17: one process clears a cache of 200,000 entries, while another client of the same Redis reads a key of its own as fast as it
 * can.
 *
 * <ol>
 *   <li>Redis is emptied, and the peer clears the empty cache, so that the measured call is not the first one.
 *   <li>The cache is filled.
 *   <li>The other client reads for 2 s, and then for 2 s more, in which the cache is cleared.
 *   <li>A third process requests some of the entries, of which none should be in the cache.
 * </ol>
 */
final class ClearedCache extends Workload {
    private static final String CONFIG = "2x1";
    private static final int ENTRIES = 200_000;
    private static final int QUICK_ENTRIES = 2_000;
    private static final int THREADS = 16;

    /** A multiple of the threads, as the entries are: each key is requested once. */
    private static final int SAMPLE = 1_600;

    private static final Duration LENGTH = Duration.ofSeconds(2);
    private static final Duration QUICK_LENGTH = Duration.ofMillis(300);
    private static final Duration CLEAR_AFTER = Duration.ofMillis(200);

    ClearedCache() {
        super(
                "W17",
                "a clear of 200,000 entries by one process, while another client of the same Redis reads",
                List.of(CONFIG),
                Defaults.of(Goal.OURS, "guarded-near", "cache-aside")
                        .only(PeerKind::shared)
                        .rounds(1, 3, 1));
    }

    @Override
    public Figures round(Site site, Turn turn) throws InterruptedException {
        Clear clear = new Clear(site, turn);
        site.emptyRedis();
        clear.run();
        Tally fill = clear.request(site.alone(), turn.quick() ? QUICK_ENTRIES : ENTRIES);
        Answers before = clear.otherClient().answers();
        OtherClient other = clear.otherClient();
        TimeUnit.NANOSECONDS.sleep(CLEAR_AFTER.toNanos());
        double millis = clear.run();
        Answers meanwhile = other.answers();
        long keysLeft = site.redisKeys();
        Tally sample = clear.request(site.crew().member(1), SAMPLE);
        return figures(millis, before, meanwhile, sample)
                .with("keysLeft", keysLeft)
                .with("errors", fill.failures() + sample.failures() + before.failures() + meanwhile.failures());
    }

    /** The work of a round. */
    private record Clear(Site site, Turn turn) {
        /** Clears the cache; returns how long the call took, in milliseconds. */
        double run() throws InterruptedException {
            return turn.round().clear(site.alone());
        }

        Tally request(FleetMember member, int keys) throws InterruptedException {
            return turn.round().run(member, Series.existing(turn.key(), keys).by(THREADS));
        }

        OtherClient otherClient() throws InterruptedException {
            Round round = new Round(Peers.named(Peers.BARE), PeerOptions.connections(1));
            Duration length = turn.quick() ? QUICK_LENGTH : LENGTH;
            int ticket = round.begin(
                    site.crew().member(0), new Hits(turn.key() + "-other", 1, 1, ThreadKind.PLATFORM, 1, length));
            round.release();
            return new OtherClient(round, ticket);
        }
    }

    /** A client that reads a key of its own, by now. */
    private record OtherClient(Round round, int ticket) {
        /** Waits until it has read for its time. */
        Answers answers() throws InterruptedException {
            return round.answers(ticket);
        }
    }

    static Figures figures(double clearMillis, Answers before, Answers meanwhile, Tally sample) {
        return Figures.none()
                .withMillis("clearMs", clearMillis)
                .withMillis("longestWaitMs", meanwhile.latencies().millisAt(100))
                .withMillis("longestWaitBeforeMs", before.latencies().millisAt(100))
                .with("stillCached", sample.latencies().count() - sample.loads());
    }

    @Override
    public List<Goal> goals() {
        return List.of(
                Goal.everyRound(CONFIG, "clearMs", 2),
                Goal.everyRound(CONFIG, "longestWaitMs", 5),
                Goal.everyRound(CONFIG, "stillCached", 0));
    }
}
