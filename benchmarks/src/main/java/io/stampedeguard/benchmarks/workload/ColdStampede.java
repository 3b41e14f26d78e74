package io.stampedeguard.benchmarks.workload;

import io.stampedeguard.benchmarks.crew.Answers;
import io.stampedeguard.benchmarks.crew.Ask;
import io.stampedeguard.benchmarks.crew.Round;
import io.stampedeguard.benchmarks.crew.Row;
import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.result.Goal;
import io.stampedeguard.testbed.measure.Figures;
import io.stampedeguard.testbed.measure.RedisCommands;
import java.time.Duration;
import java.util.List;

/** W3 and W4: a key is absent, and all callers request it at one instant. */
final class ColdStampede extends Workload {
    private static final Duration LOAD = Duration.ofMillis(100);

    private final int processes;
    private final int callers;
    private final Duration load;
    private final List<Goal> goals;

    ColdStampede(String name, int processes, int callers, Duration load, List<Goal> goals) {
        super(
                name,
                "cold stampede, %d JVM × %d callers at one instant, load 100 ms".formatted(processes, callers),
                List.of(processes + "x" + callers),
                Defaults.USUAL);
        this.processes = processes;
        this.callers = callers;
        this.load = load;
        this.goals = goals;
    }

    static ColdStampede inOneProcess() {
        return new ColdStampede("W3", 1, 256, LOAD, goals("1x256", "redisCommands", 20));
    }

    static ColdStampede inFourProcesses() {
        return new ColdStampede("W4", 4, 64, LOAD, goals("4x64", "redisCommands", 60));
    }

    /** Returns W4, with more processes and callers. */
    static ColdStampede inEightProcesses() {
        return new ColdStampede("W4L", 8, 125, LOAD, goals("8x125", "redisCommandsBesidesGets", 80));
    }

    private static List<Goal> goals(String config, String commands, int atMost) {
        return List.of(
                Goal.everyRound(config, "loads", 1),
                Goal.medianRatio(config, "tailMs", "caffeine", 1.1),
                Goal.median(config, commands, atMost));
    }

    @Override
    public Figures round(Site site, Turn turn) throws InterruptedException {
        Round round = turn.round();
        List<Integer> tickets = round.begin(site.members(processes), Ask.once(callers, turn.key(), Row.taking(load)));
        RedisCommands before = site.commands();
        round.release();
        Answers answers = round.answers(tickets);
        RedisCommands after = site.commands();
        return Figures.none()
                .with("loads", answers.loads())
                .withMillis("tailMs", tailBegins(answers, turn.peer()), answers.lastMicros())
                .with("redisCommands", after.workSince(before))
                .with("redisCommandsBesidesGets", besidesFirstGets(before, after))
                .with("errors", answers.failures());
    }

    /** If each process loads for itself, no process waits for the load of another one. */
    static long tailBegins(Answers answers, PeerKind peer) {
        return peer.shared() ? answers.firstLoadEnded() : answers.lastLoadEnded();
    }

    /** Leaves out one read for each caller, or fewer: a process may send one for several callers. */
    private long besidesFirstGets(RedisCommands before, RedisCommands after) {
        return after.workSince(before)
                - Math.min((long) processes * callers, after.since("get", before) + after.since("mget", before));
    }

    @Override
    public List<Goal> goals() {
        return goals;
    }
}
