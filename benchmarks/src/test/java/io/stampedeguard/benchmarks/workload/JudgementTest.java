package io.stampedeguard.benchmarks.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.benchmarks.crew.Answers;
import io.stampedeguard.benchmarks.crew.Got;
import io.stampedeguard.benchmarks.crew.Tally;
import io.stampedeguard.benchmarks.peer.Peers;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.measure.Latencies;
import io.stampedeguard.testbed.measure.Stalls;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How the workloads evaluate answers and loads, with invented times. */
class JudgementTest {
    private static final long CHANGED = 20_000;
    private static final long REMOVED = 21_000;

    @Test
    void tailsFollowTheFirstLoadOrLastIfEachProcessLoads() {
        Answers answers = new Answers();
        answers.addLoad(0, 103_000);
        answers.addLoad(500, 101_000);

        assertThat(ColdStampede.tailBegins(answers, Peers.named("guarded"))).isEqualTo(101_000);
        assertThat(ColdStampede.tailBegins(answers, Peers.named("caffeine"))).isEqualTo(103_000);
    }

    @Test
    void answersAfterAKillAreCountedFromTheKill() {
        Answers answers = answers(read(0, 5_000, Got.FAILURE), read(0, 12_500, Got.OLD), read(0, 14_000, Got.OLD));
        answers.addLoad(0, 12_000);

        assertThat(KilledLoader.figures(answers, 2_000).values())
                .containsEntry("loads", 2L)
                .containsEntry("firstAnswerMs", 10.5)
                .containsEntry("lastAnswerMs", 12.0)
                .containsEntry("errors", 1L);
        assertThat(KilledLoader.figures(answers(read(0, 5_000, Got.FAILURE)), 2_000)
                        .values())
                .doesNotContainKey("firstAnswerMs");
    }

    @Test
    void oldValuesInReadsBegunAfterRemovalAndLoadAreStale() {
        Answers stale = answers(read(50_001, 50_200, Got.OLD), read(60_000, 60_200, Got.NEW));

        assertThat(LateWriter.figures(load(0, 50_000), CHANGED, REMOVED, stale).values())
                .containsEntry("staleRounds", 1L)
                .containsEntry("stillOldRounds", 0L)
                .containsEntry("races", 1L);
    }

    @Test
    void aReadBegunDuringTheLoadMayGiveTheOldValue() {
        Answers joined = answers(read(49_000, 50_200, Got.OLD), read(60_000, 60_200, Got.NEW));

        assertThat(LateWriter.figures(load(0, 50_000), CHANGED, REMOVED, joined).values())
                .containsEntry("staleRounds", 0L)
                .containsEntry("races", 1L);
    }

    @Test
    void whoseLastReadGivesTheOldValueIsStillOld() {
        Answers old = answers(read(60_000, 60_200, Got.OLD), read(350_000, 350_100, Got.OLD));

        assertThat(LateWriter.figures(load(0, 50_000), CHANGED, REMOVED, old).values())
                .containsEntry("staleRounds", 1L)
                .containsEntry("stillOldRounds", 1L);
    }

    @Test
    void loadsBegunAfterChangeOrEndedBeforeRemovalAreNoRaces() {
        Answers old = answers(read(60_000, 60_200, Got.OLD));

        assertThat(LateWriter.figures(load(CHANGED, 70_000), CHANGED, REMOVED, old)
                        .values())
                .containsEntry("races", 0L)
                .containsEntry("staleRounds", 0L);
        assertThat(LateWriter.figures(load(0, REMOVED), CHANGED, REMOVED, old).values())
                .containsEntry("races", 0L)
                .containsEntry("stillOldRounds", 0L);
    }

    @Test
    void loadsThatBeginTogetherServeOneExpiry() {
        assertThat(HotKey.loadsPerTtl(new long[] {})).isZero();
        assertThat(HotKey.loadsPerTtl(new long[] {0, 950_000, 1_900_000})).isEqualTo(1);
        assertThat(HotKey.loadsPerTtl(new long[] {0, 1_000, 499_999, 1_000_000}))
                .isEqualTo(2);
    }

    @Test
    void slowHotKeyCallsDuringProcessOrRedisStallsAreDistinguished() {
        Answers answers = answers(
                read(0, 1_000, Got.OLD),
                read(100_000, 112_000, Got.OLD),
                read(200_000, 212_000, Got.OLD),
                read(300_000, 312_000, Got.OLD));
        answers.slowCalls().stalls().add(95_000, 105_000);
        Stalls ofRedis = new Stalls();
        ofRedis.add(205_000, 235_000);

        assertThat(HotKey.figures(new Answers(), answers, List.of(answers), ofRedis)
                        .values())
                .containsEntry("callsOver10Ms", 3L)
                .containsEntry("callsOver10MsWhileRunning", 1L)
                .containsEntry("stallMs", 30.0)
                .containsEntry("waits", 0L);
    }

    @Test
    void eachEntryThatIsNotLoadedAfterAClearIsStillCached() {
        Tally sample = new Tally();
        sample.addAll(Message.of("answers")
                .with("latencies", latencies(3))
                .with("absent", 0)
                .with("loads", 1)
                .with("loadsOfKeys", "{}")
                .with("failures", 0)
                .with("last", 0)
                .with("processorNanos", 0)
                .with("compilationMillis", 0)
                .with("unleasedLoads", "{}"));

        assertThat(ClearedCache.figures(1.5, new Answers(), new Answers(), sample)
                        .values())
                .containsEntry("clearMs", 1.5)
                .containsEntry("stillCached", 2L);
    }

    @Test
    void oldRowsAreStaleInReadsBegunAfterTheRemovalReturned() {
        Answers removing = answers(read(10_000, 10_100, Got.OLD), read(REMOVED, 21_300, Got.NEW));
        Answers tooLate = answers(read(10_000, 10_100, Got.OLD), read(REMOVED, 21_300, Got.OLD));

        assertThat(ChangedRow.figures(removing, answers(read(REMOVED, 21_200, Got.OLD)))
                        .values())
                .containsEntry("changes", 1L)
                .containsEntry("staleOwn", 0L)
                .containsEntry("staleOther", 0L);
        assertThat(ChangedRow.figures(tooLate, answers(read(REMOVED + 1, 21_200, Got.OLD)))
                        .values())
                .containsEntry("staleOwn", 1L)
                .containsEntry("staleOther", 1L);
    }

    @Test
    void aKeyThatOneProcessHadNotCachedIsNoChange() {
        Answers removing = answers(read(10_000, 10_100, Got.NEW), read(REMOVED, 21_300, Got.NEW));

        assertThat(ChangedRow.figures(removing, answers(read(10_000, 20_000, Got.OLD)))
                        .values())
                .containsEntry("changes", 0L);
    }

    private static String latencies(int calls) {
        Latencies latencies = new Latencies();
        for (int i = 0; i < calls; i++) {
            latencies.record(1_000);
        }
        return latencies.encode();
    }

    private static Answers load(long began, long ended) {
        Answers answers = answers(read(began, ended, Got.OLD));
        answers.addLoad(began, ended);
        return answers;
    }

    private static Answers answers(Answers.Read... reads) {
        Answers answers = new Answers();
        for (Answers.Read read : reads) {
            answers.add(read, true);
        }
        return answers;
    }

    private static Answers.Read read(long began, long ended, Got got) {
        return new Answers.Read(began, ended, got);
    }
}
