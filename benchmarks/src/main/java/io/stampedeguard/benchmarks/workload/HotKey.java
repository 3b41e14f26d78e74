package io.stampedeguard.benchmarks.workload;

import io.stampedeguard.benchmarks.crew.Answers;
import io.stampedeguard.benchmarks.crew.Ask;
import io.stampedeguard.benchmarks.crew.Round;
import io.stampedeguard.benchmarks.crew.Row;
import io.stampedeguard.benchmarks.peer.PeerOptions;
import io.stampedeguard.benchmarks.result.Goal;
import io.stampedeguard.testbed.measure.Figures;
import io.stampedeguard.testbed.measure.RedisCommands;
import io.stampedeguard.testbed.measure.StallMeter;
import io.stampedeguard.testbed.measure.Stalls;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * W5: 4 JVMs × 16 callers get one key that expires each second, with pauses of 10 ms. First all of them get it cold,
 * which is counted separately. When all have it, the measured 20 s begin.
 */
final class HotKey extends Workload {
    private static final String CONFIG = "4x16";
    private static final int PROCESSES = 4;
    private static final int CALLERS = 16;
    private static final Duration TTL = Duration.ofSeconds(1);
    private static final Duration LOAD = Duration.ofMillis(100);
    private static final Duration PAUSE = Duration.ofMillis(10);
    private static final Duration LENGTH = Duration.ofSeconds(20);
    private static final Duration QUICK_LENGTH = Duration.ofMillis(2_500);

    /** One each second, and some that begin up to 100 ms earlier, the duration of a load. */
    private static final int LOADS_IN_20_SECONDS = 22;

    private static final double MICROS_PER_MILLI = 1_000;

    HotKey() {
        super(
                "W5",
                "one hot key, TTL 1 s, load 100 ms, 4 JVM × 16 callers with 10 ms pauses, for 20 s after a cold start",
                List.of(CONFIG),
                Defaults.of("guarded", "guarded-near", "cache-aside", "caffeine")
                        .rounds(1, 7, 1));
    }

    @Override
    public Figures round(Site site, Turn turn) throws InterruptedException {
        Ask once = Ask.once(CALLERS, turn.key(), Row.taking(LOAD));
        Answers cold = run(site, turn, once).all();
        Ask again = once.repeating(turn.quick() ? QUICK_LENGTH : LENGTH, PAUSE);
        RedisCommands before = site.commands();
        try (StallMeter redis = site.meterRedis()) {
            Run run = run(site, turn, again);
            Figures figures = figures(cold, run.all(), run.ofEachProcess(), redis.noted());
            return figures.with("redisCommands", site.commands().workSince(before));
        }
    }

    /** The request to each process, by its ticket. */
    private record Run(Round round, List<Integer> tickets) {
        Answers all() throws InterruptedException {
            return round.answers(tickets);
        }

        List<Answers> ofEachProcess() throws InterruptedException {
            List<Answers> each = new ArrayList<>();
            for (int ticket : tickets) {
                each.add(round.answers(ticket));
            }
            return each;
        }
    }

    private static Run run(Site site, Turn turn, Ask ask) throws InterruptedException {
        Round round = turn.round(PeerOptions.ttl(TTL));
        List<Integer> tickets = round.begin(site.members(PROCESSES), ask);
        round.release();
        return new Run(round, tickets);
    }

    static Figures figures(Answers cold, Answers all, List<Answers> ofEachProcess, Stalls ofRedis) {
        Figures figures = Figures.none()
                .with("loads", all.loads())
                .withRate("loadsPerTtl", loadsPerTtl(all.loadsBegan()))
                .withMillis("p50Ms", all.latencies().millisAt(50))
                .withMillis("p99Ms", all.latencies().millisAt(99))
                .withMillis("p999Ms", all.latencies().millisAt(99.9))
                .withMillis("maxMs", all.latencies().millisAt(100))
                .with("callsOver10Ms", all.slowCalls().count())
                .with("callsOver10MsWhileRunning", whileRunning(ofEachProcess, ofRedis))
                .withMillis("stallMs", longestMillis(ofEachProcess, ofRedis));
        if (all.waits().isPresent()) {
            figures = figures.with("waits", all.waits().getAsLong());
        }
        return figures.with("coldLoads", cold.loads())
                .withMillis("coldMaxMs", cold.latencies().millisAt(100))
                .with("errors", cold.failures() + all.failures());
    }

    /** Loads that begin within half a TTL of the first of them serve the same expiry; one would have been enough. */
    static double loadsPerTtl(long[] began) {
        long expiries = 0;
        long first = 0;
        for (long load : began) {
            if (expiries == 0 || load - first >= TTL.toNanos() / 2_000) {
                expiries++;
                first = load;
            }
        }
        return expiries == 0 ? 0 : (double) began.length / expiries;
    }

    private static long whileRunning(List<Answers> processes, Stalls ofRedis) {
        return processes.stream()
                .mapToLong(process -> process.slowCalls().countWhileRunning(ofRedis))
                .sum();
    }

    private static double longestMillis(List<Answers> processes, Stalls ofRedis) {
        Stream<Stalls> all = Stream.concat(
                Stream.of(ofRedis),
                processes.stream().map(process -> process.slowCalls().stalls()));
        return all.mapToLong(Stalls::longestMicros).max().orElse(0) / MICROS_PER_MILLI;
    }

    @Override
    public List<Goal> goals() {
        return Stream.of("guarded", "guarded-near").flatMap(HotKey::goalsOf).toList();
    }

    private static Stream<Goal> goalsOf(String peer) {
        return Stream.of(
                        Goal.everyRound(CONFIG, "loads", LOADS_IN_20_SECONDS),
                        Goal.everyRound(CONFIG, "loadsPerTtl", 1),
                        Goal.everyRound(CONFIG, "p999Ms", 5),
                        Goal.everyRound(CONFIG, "callsOver10Ms", 0),
                        Goal.everyRound(CONFIG, "callsOver10MsWhileRunning", 0),
                        Goal.everyRound(CONFIG, "waits", 0))
                .map(goal -> goal.of(peer));
    }
}
