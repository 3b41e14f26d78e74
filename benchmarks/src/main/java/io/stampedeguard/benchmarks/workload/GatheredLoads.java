package io.stampedeguard.benchmarks.workload;

import io.stampedeguard.benchmarks.crew.Round;
import io.stampedeguard.benchmarks.crew.Series;
import io.stampedeguard.benchmarks.crew.Tally;
import io.stampedeguard.benchmarks.peer.Peers;
import io.stampedeguard.benchmarks.result.Goal;
import io.stampedeguard.testbed.measure.Figures;
import java.time.Duration;
import java.util.List;

/**
 * W16: 64 callers of one JVM request distinct absent keys, each once, with and without a loader that gathers them. A call of the
 * origin takes as long for many keys as for one, and any number of calls run at once: the bound is that of the cache.
 */
final class GatheredLoads extends Workload {
    private static final String CONFIG = "1x64";
    private static final int CALLERS = 64;
    private static final int KEYS_OF_EACH = 50;
    private static final Duration LOAD = Duration.ofMillis(5);

    GatheredLoads() {
        super(
                "W16",
                "gathered loads: 1 JVM × 64 callers, distinct cold keys, each requested once, a load of any keys 5 ms",
                List.of(CONFIG),
                Defaults.of(Goal.OURS, Peers.GATHERING).rounds(3, 7, 1));
    }

    @Override
    public Figures round(Site site, Turn turn) throws InterruptedException {
        Round round = turn.round();
        int ticket = round.begin(
                site.alone(),
                Series.existing(turn.key(), CALLERS * KEYS_OF_EACH).by(CALLERS).loading(LOAD));
        long released = round.release();
        return figures(round.tally(List.of(ticket)), released);
    }

    static Figures figures(Tally tally, long released) {
        return Figures.none()
                .with("originCalls", tally.loads())
                .withRate("originCallsPerKey", (double) tally.loads() / (CALLERS * KEYS_OF_EACH))
                .withMillis("p50Ms", tally.latencies().millisAt(50))
                .withMillis("p99Ms", tally.latencies().millisAt(99))
                .withMillis("lastAnswerMs", released, tally.lastMicros())
                .with("errors", tally.absent() + tally.failures());
    }

    @Override
    public List<Goal> goals() {
        return List.of(
                Goal.median(CONFIG, "originCallsPerKey", 0.2).of(Peers.GATHERING),
                Goal.medianRatio(CONFIG, "p99Ms", Goal.OURS, 1.5).of(Peers.GATHERING),
                Goal.everyRound(CONFIG, "errors", 0).of(Peers.GATHERING));
    }
}
