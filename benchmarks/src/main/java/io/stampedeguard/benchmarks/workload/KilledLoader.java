package io.stampedeguard.benchmarks.workload;

import io.stampedeguard.benchmarks.crew.Answers;
import io.stampedeguard.benchmarks.crew.Ask;
import io.stampedeguard.benchmarks.crew.Crew;
import io.stampedeguard.benchmarks.crew.Round;
import io.stampedeguard.benchmarks.crew.Row;
import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.result.Goal;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.fleet.WallClock;
import io.stampedeguard.testbed.measure.Figures;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * W6: the process that loads a key is killed while others wait for it. That process is new in each round and has read
 * another key before, so that it is as warm as the others.
 */
final class KilledLoader extends Workload {
    private static final String CONFIG = "3x4";
    private static final int PROCESSES = 3;
    private static final int CALLERS = 4;
    private static final Duration LOAD = Duration.ofSeconds(2);
    private static final Duration QUICK_LOAD = Duration.ofMillis(600);
    private static final Duration OTHERS_AFTER = Duration.ofMillis(200);

    /** The rest of the killed process' lease, a poll, and the load of the next process. */
    private static final double LEASE_AND_POLL_AND_LOAD_MILLIS = 2_000 + 250 + 2_000;

    KilledLoader() {
        super(
                "W6",
                "the process that loads (2 s) is killed with kill -9 after 1 s, while 3 JVM × 4 callers wait",
                List.of(CONFIG),
                Defaults.USUAL.only(PeerKind::shared).rounds(1, 3, 1));
    }

    @Override
    public Figures round(Site site, Turn turn) throws InterruptedException {
        try (Crew doomed = site.another()) {
            new Round(turn.peer()).run(doomed.member(0), Ask.once(1, turn.key() + "-warm", Row.taking(Duration.ZERO)));
            return kill(doomed.member(0), site.crew().members(PROCESSES), turn);
        }
    }

    private static Figures kill(FleetMember doomed, List<FleetMember> others, Turn turn) throws InterruptedException {
        Row row = Row.taking(turn.quick() ? QUICK_LOAD : LOAD);
        Round round = new Round(turn.peer());
        int loading = round.begin(doomed, Ask.once(1, turn.key(), row.announcing()));
        List<Integer> waiting =
                round.begin(others, Ask.once(CALLERS, turn.key(), row).after(OTHERS_AFTER));
        round.release();
        long began = round.awaitLoad(loading);
        WallClock.awaitMicros(began + TimeUnit.NANOSECONDS.toMicros(row.takes().toNanos() / 2));
        long killed = WallClock.micros();
        doomed.kill();
        return figures(round.answers(waiting), killed);
    }

    static Figures figures(Answers answers, long killed) {
        Figures figures = Figures.none().with("loads", 1 + answers.loads());
        if (answers.hasValue()) {
            figures = figures.withMillis("firstAnswerMs", killed, answers.firstValueMicros());
        }
        return figures.withMillis("lastAnswerMs", killed, answers.lastMicros()).with("errors", answers.failures());
    }

    @Override
    public List<Goal> goals() {
        return List.of(
                Goal.everyRound(CONFIG, "loads", 2),
                Goal.median(CONFIG, "firstAnswerMs", LEASE_AND_POLL_AND_LOAD_MILLIS),
                Goal.everyRound(CONFIG, "errors", 0));
    }
}
