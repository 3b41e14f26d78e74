package io.stampedeguard.benchmarks.result;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.measure.Figures;
import java.util.List;
import org.junit.jupiter.api.Test;

class GoalTest {
    private static final Results RESULTS = new Results(List.of(
            result("guarded", 1, 1, 6.0),
            result("guarded", 2, 2, 9.0),
            result("guarded", 3, 1, 3.0),
            result("caffeine", 1, 4, 8.0)));

    private static Result result(String peer, int round, long loads, double tail) {
        return new Result(
                "W4", peer, "4x64", round, Figures.none().with("loads", loads).withMillis("tailMs", tail));
    }

    @Test
    void oneRoundMissesWhatIsToHoldInEveryRound() {
        assertThat(Goal.everyRound("4x64", "loads", 1).verdict(RESULTS))
                .isEqualTo("goal (guarded, 4x64): loads at most 1 in every round: 2, MISSED");
    }

    @Test
    void medianAndRatioLookAtTheRoundInTheMiddle() {
        assertThat(Goal.median("4x64", "tailMs", 6).verdict(RESULTS)).endsWith(": 6, reached");
        assertThat(Goal.medianRatio("4x64", "tailMs", "caffeine", 1).verdict(RESULTS))
                .isEqualTo("goal (guarded, 4x64): tailMs at most 1 in the median, as a ratio to that of caffeine: 0.75,"
                        + " reached");
    }

    @Test
    void aRatioOfEachRoundLooksAtRoundsOfBoth() {
        Results results = new Results(List.of(
                result("guarded", 1, 1, 10),
                result("jedis", 1, 1, 10),
                result("guarded", 2, 1, 90),
                result("jedis", 2, 1, 100),
                result("guarded", 3, 1, 42),
                result("jedis", 3, 1, 44),
                result("guarded", 4, 1, 1)));

        assertThat(Goal.ratio("4x64", "tailMs", "jedis", Goal.atLeast(0.95)).verdict(results))
                .isEqualTo("goal (guarded, 4x64): tailMs at least 0.95 in the median of its ratios to that of jedis:"
                        + " 0.95, reached");
        assertThat(Goal.ratio("4x64", "tailMs", "jedis", Goal.atLeast(0.96)).verdict(results))
                .endsWith("MISSED");
        assertThat(Goal.ratio("4x64", "tailMs", "caffeine", Goal.atMost(1)).verdict(results))
                .isNull();
    }

    @Test
    void aRatioToAnotherConfigLooksAtRoundsInBoth() {
        Results results = new Results(List.of(
                attack("quiet", 1, 1.0),
                attack("attack", 1, 1.1),
                attack("quiet", 2, 10.0),
                attack("attack", 2, 11.0),
                attack("quiet", 3, 1.0),
                attack("attack", 3, 1.5),
                attack("attack", 4, 100)));

        assertThat(Goal.ratioToConfig("attack", "p99Ms", "quiet", 1.2).verdict(results))
                .isEqualTo("goal (guarded, attack): p99Ms at most 1.20 in the median of its ratios to that of quiet:"
                        + " 1.10, reached");
        assertThat(Goal.ratioToConfig("attack", "p99Ms", "quiet", 1.05).verdict(results))
                .endsWith("MISSED");
        assertThat(Goal.ratioToConfig("attack", "p99Ms", "calm", 1.2).verdict(results))
                .isNull();
    }

    private static Result attack(String config, int round, double p99) {
        return new Result("W13", "guarded", config, round, Figures.none().withMillis("p99Ms", p99));
    }

    @Test
    void aGoalCanBeThatOfAnotherPeer() {
        assertThat(Goal.everyRound("4x64", "loads", 4).of("caffeine").verdict(RESULTS))
                .isEqualTo("goal (caffeine, 4x64): loads at most 4 in every round: 4, reached");
    }

    @Test
    void whatWasNotMeasuredHasNoVerdict() {
        assertThat(Goal.median("4x64", "p50Ms", 6).verdict(RESULTS)).isNull();
        assertThat(Goal.medianRatio("4x64", "tailMs", "cache-aside", 1).verdict(RESULTS))
                .isNull();
    }

    @Test
    void countsOfRoundsAddUp() {
        Figures one = Figures.none().with("staleRounds", 1).with("loads", 3);
        Figures other = Figures.none().with("staleRounds", 0).with("loads", 2);

        assertThat(Figures.sum(List.of(one, other)))
                .isEqualTo(Figures.none().with("staleRounds", 1).with("loads", 5));
    }
}
