package io.stampedeguard.benchmarks.workload;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.benchmarks.crew.Replay;
import io.stampedeguard.benchmarks.crew.Round;
import io.stampedeguard.benchmarks.crew.Tally;
import io.stampedeguard.benchmarks.result.Goal;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.measure.Figures;
import io.stampedeguard.testbed.measure.RedisCommands;
import io.stampedeguard.testbed.trace.TraceFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * W11: the first 1,000,000 requests of a recorded trace on an empty cache, as fast as 4 JVMs × 16 callers can. The processes take
 * turns, request by request. All keys exist, and each is fresh for longer than the round: one load of each is enough.
 */
final class TraceReplay extends Workload {
    private static final String CONFIG = "4x16";
    private static final int PROCESSES = 4;
    private static final int CALLERS = 16;
    private static final int REQUESTS = 1_000_000;
    private static final int QUICK_REQUESTS = 20_000;
    private static final Duration LOAD = Duration.ofMillis(2);

    TraceReplay() {
        super(
                "W11",
                "replay of a recorded trace, its first 1,000,000 requests, 4 JVM × 16 callers, load 2 ms (only with --trace)",
                List.of(CONFIG),
                Defaults.of(Goal.OURS, "guarded-near", "cache-aside").rounds(1, 3, 1));
    }

    @Override
    public boolean replaysTrace() {
        return true;
    }

    @Override
    public Figures round(Site site, Turn turn) throws InterruptedException {
        Path trace = requireNonNull(turn.trace(), "there is no trace");
        int requests = turn.quick() ? QUICK_REQUESTS : REQUESTS;
        site.emptyRedis();
        Round round = turn.round();
        List<Integer> tickets = new ArrayList<>();
        List<FleetMember> members = site.members(PROCESSES);
        for (int i = 0; i < PROCESSES; i++) {
            Replay share = new Replay(turn.key(), trace, requests, i, PROCESSES, CALLERS, LOAD);
            tickets.add(round.begin(members.get(i), share));
        }
        RedisCommands before = site.commands();
        long released = round.release();
        Tally tally = round.tally(tickets);
        return figures(tally, released, distinctKeys(trace, requests))
                .with("redisCommands", site.commands().workSince(before));
    }

    private static long distinctKeys(Path trace, int requests) {
        try {
            return Arrays.stream(TraceFile.read(trace, requests)).distinct().count();
        } catch (IOException e) {
            throw new UncheckedIOException("the processes could read the trace", e);
        }
    }

    static Figures figures(Tally tally, long released, long distinctKeys) {
        return Figures.none()
                .with("gets", tally.latencies().count())
                .with("distinctKeys", distinctKeys)
                .with("loads", tally.loads())
                .withRate("loadsPerKey", (double) tally.loads() / distinctKeys)
                .withPerSecond("opsPerSecond", tally.latencies().count(), released, tally.lastMicros())
                .withMillis("p50Ms", tally.latencies().millisAt(50))
                .withMillis("p99Ms", tally.latencies().millisAt(99))
                .withMillis("maxMs", tally.latencies().millisAt(100))
                .with("errors", tally.absent() + tally.failures());
    }

    @Override
    public List<Goal> goals() {
        return Stream.of(Goal.OURS, "guarded-near")
                .flatMap(peer -> Stream.of(
                        Goal.everyRound(CONFIG, "loadsPerKey", 1).of(peer),
                        Goal.everyRound(CONFIG, "errors", 0).of(peer)))
                .toList();
    }
}
