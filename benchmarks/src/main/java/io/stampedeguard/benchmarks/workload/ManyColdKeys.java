package io.stampedeguard.benchmarks.workload;

import io.stampedeguard.benchmarks.crew.Round;
import io.stampedeguard.benchmarks.crew.Series;
import io.stampedeguard.benchmarks.crew.Tally;
import io.stampedeguard.benchmarks.result.Goal;
import io.stampedeguard.event.EventType;
import io.stampedeguard.testbed.measure.Figures;
import io.stampedeguard.testbed.measure.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * W15: 50 keys are absent, and all callers of 8 JVMs request all of them, each in a random order of its own. There are
 * more callers than connections, so that many callers wait for a connection.
 */
final class ManyColdKeys extends Workload {
    private static final String CONFIG = "8x32";
    private static final int PROCESSES = 8;
    private static final int CALLERS = 32;
    private static final int KEYS = 50;
    private static final Duration LOAD = Duration.ofMillis(50);

    ManyColdKeys() {
        super(
                "W15",
                "many cold keys: 8 JVM × 32 callers ask for the same 50 keys, each in an order of its own, load 50 ms",
                List.of(CONFIG),
                // No warm-up: processes that have just started, with slow code, are part of the workload.
                Defaults.of("guarded", "guarded-near", "cache-aside").rounds(0, 20, 1));
    }

    @Override
    public Figures round(Site site, Turn turn) throws InterruptedException {
        Round round = new Round(turn.peer());
        List<Integer> tickets = round.begin(
                site.members(PROCESSES),
                Series.existing(turn.key(), KEYS).eachBy(CALLERS).loading(LOAD));
        RedisCommands before = site.commands();
        long released = round.release();
        Tally tally = round.tally(tickets);
        return figures(tally, released).with("redisCommands", site.commands().workSince(before));
    }

    static Figures figures(Tally tally, long released) {
        return Figures.none()
                .with("loads", tally.loads())
                .withRate("loadsPerKey", (double) tally.loads() / KEYS)
                .with("mostLoadsOfAKey", tally.mostLoadsOfAKey())
                .with("unleasedLoads", tally.unleasedLoads())
                .with("unleasedStoreDown", tally.unleasedLoads(EventType.UNLEASED_STORE_DOWN.name()))
                .with("unleasedUnanswered", tally.unleasedLoads(EventType.UNLEASED_UNANSWERED.name()))
                .with("unleasedRefused", tally.unleasedLoads(EventType.UNLEASED_REFUSED.name()))
                .with("unleasedNotCacheable", tally.unleasedLoads(EventType.UNLEASED_NOT_CACHEABLE.name()))
                .withMillis("lastAnswerMs", released, tally.lastMicros())
                .withMillis("p99Ms", tally.latencies().millisAt(99))
                .withMillis("maxMs", tally.latencies().millisAt(100))
                .with("errors", tally.absent() + tally.failures());
    }

    @Override
    public List<Goal> goals() {
        return Stream.of("guarded", "guarded-near")
                .flatMap(peer -> Stream.of(
                                Goal.everyRound(CONFIG, "mostLoadsOfAKey", 1),
                                Goal.medianRatio(CONFIG, "lastAnswerMs", "cache-aside", 0.8),
                                Goal.median(CONFIG, "redisCommands", 3_695))
                        .map(goal -> goal.of(peer)))
                .toList();
    }
}
