package io.stampedeguard.benchmarks.workload;

import io.stampedeguard.benchmarks.crew.Answers;
import io.stampedeguard.benchmarks.crew.Ask;
import io.stampedeguard.benchmarks.crew.Round;
import io.stampedeguard.benchmarks.crew.Row;
import io.stampedeguard.benchmarks.result.Goal;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.measure.Figures;
import java.time.Duration;
import java.util.List;

/** W8: while one process loads a key, another one gets a second key that is in the cache, every 10 ms. */
final class OtherKey extends Workload {
    private static final String CONFIG = "2x1";
    private static final Duration LOAD = Duration.ofSeconds(1);
    private static final Duration QUICK_LOAD = Duration.ofMillis(300);
    private static final Duration MARGIN = Duration.ofMillis(100);
    private static final Duration PAUSE = Duration.ofMillis(10);

    OtherKey() {
        super(
                "W8",
                "hits on key B, one every 10 ms, while key A loads for 1 s in another process",
                List.of(CONFIG),
                Defaults.USUAL.rounds(3, 7, 1));
    }

    @Override
    public Figures round(Site site, Turn turn) throws InterruptedException {
        FleetMember loading = site.crew().member(0);
        FleetMember hitting = site.crew().member(1);
        Duration load = turn.quick() ? QUICK_LOAD : LOAD;
        Ask hit = Ask.once(1, turn.key() + "-B", Row.taking(Duration.ZERO));
        turn.round().run(hitting, hit);

        Round round = turn.round();
        int ofA = round.begin(loading, Ask.once(1, turn.key() + "-A", Row.taking(load)));
        Answers hits = round.run(
                hitting, hit.after(MARGIN).repeating(load.minus(MARGIN).minus(MARGIN), PAUSE));
        return Figures.none()
                .with("loads", round.answers(ofA).loads() + hits.loads())
                .withMillis("p50Ms", hits.latencies().millisAt(50))
                .withMillis("maxMs", hits.latencies().millisAt(100))
                .with("errors", hits.failures());
    }

    @Override
    public List<Goal> goals() {
        return List.of(Goal.everyRound(CONFIG, "loads", 1), Goal.median(CONFIG, "maxMs", 5));
    }
}
