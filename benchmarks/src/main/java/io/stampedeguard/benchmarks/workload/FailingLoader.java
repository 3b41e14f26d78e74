package io.stampedeguard.benchmarks.workload;

import io.stampedeguard.benchmarks.crew.Answers;
import io.stampedeguard.benchmarks.crew.Ask;
import io.stampedeguard.benchmarks.crew.Round;
import io.stampedeguard.benchmarks.crew.Row;
import io.stampedeguard.benchmarks.result.Goal;
import io.stampedeguard.testbed.measure.Figures;
import java.time.Duration;
import java.util.List;

/** W7: the loader fails, with callers that request once, and with callers that retry immediately. */
final class FailingLoader extends Workload {
    private static final String ONCE = "1x64";
    private static final String REPEATING = "4x64-repeating";
    private static final int CALLERS = 64;
    private static final Duration LOAD = Duration.ofMillis(100);
    private static final Duration QUICK_LOAD = Duration.ofMillis(20);
    private static final Duration REPEAT_FOR = Duration.ofSeconds(5);
    private static final Duration QUICK_REPEAT_FOR = Duration.ofSeconds(1);

    FailingLoader() {
        super(
                "W7",
                "the loader fails after 100 ms: 1 JVM × 64 callers once, 4 JVM × 64 callers repeating for 5 s",
                List.of(ONCE, REPEATING),
                Defaults.USUAL.rounds(3, 7, 1));
    }

    @Override
    public Figures round(Site site, Turn turn) throws InterruptedException {
        return turn.config().equals(ONCE) ? once(site, turn) : repeating(site, turn);
    }

    private static Figures once(Site site, Turn turn) throws InterruptedException {
        Answers answers = turn.round().run(site.crew().member(0), Ask.once(CALLERS, turn.key(), row(turn)));
        return Figures.none()
                .with("loads", answers.loads())
                .withMillis("lastAnswerMs", answers.firstLoadEnded(), answers.lastMicros())
                .with("errors", answers.failures());
    }

    private static Figures repeating(Site site, Turn turn) throws InterruptedException {
        Duration length = turn.quick() ? QUICK_REPEAT_FOR : REPEAT_FOR;
        Ask ask = Ask.once(CALLERS, turn.key(), row(turn)).repeating(length, Duration.ZERO);
        Round round = turn.round();
        List<Integer> tickets = round.begin(site.crew().members(4), ask);
        round.release();
        Answers answers = round.answers(tickets);
        return Figures.none()
                .with("loads", answers.loads())
                .withMillis("p99Ms", answers.latencies().millisAt(99))
                .withMillis("maxMs", answers.latencies().millisAt(100))
                .with("errors", answers.failures());
    }

    private static Row row(Turn turn) {
        return Row.taking(turn.quick() ? QUICK_LOAD : LOAD).failing();
    }

    /** With a cool-down of 200 ms that doubles, five loads fit into 5 s. */
    @Override
    public List<Goal> goals() {
        return List.of(
                Goal.everyRound(ONCE, "loads", 1),
                Goal.median(ONCE, "lastAnswerMs", 20),
                Goal.everyRound(REPEATING, "loads", 5));
    }
}
