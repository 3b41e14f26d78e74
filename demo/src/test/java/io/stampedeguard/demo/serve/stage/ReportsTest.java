package io.stampedeguard.demo.serve.stage;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.demo.serve.figures.Count;
import io.stampedeguard.demo.serve.figures.Counts;
import io.stampedeguard.demo.serve.figures.ProcessState;
import io.stampedeguard.demo.serve.figures.Second;
import io.stampedeguard.demo.serve.member.Reporter;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.measure.Latencies;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ReportsTest {
    private static final int REPORTS_A_SECOND = 4;
    private static final List<Boolean> ONE = List.of(true);
    private static final List<Boolean> BOTH = List.of(true, true);
    private static final long QUICK_MICROS = 1_000;
    private static final long LONG_MICROS = 1_000_000;

    private final Reports reports = new Reports();

    @Test
    void whoStillWaitsIsCountedOnceASecondForEachProcess() {
        for (int i = 1; i <= REPORTS_A_SECOND; i++) {
            reports.add(0, report(1, times(1, QUICK_MICROS), times(1, i * LONG_MICROS)));
            reports.add(1, report(1, times(1, QUICK_MICROS), times(1, i * LONG_MICROS)));
        }

        Histogram took = reports.second(BOTH).took();

        assertThat(took.getTotalCount()).isEqualTo(2 * REPORTS_A_SECOND + 2);
        assertThat(took.getCountBetweenValues(0, QUICK_MICROS)).isEqualTo(2 * REPORTS_A_SECOND);
        assertThat(took.getMinNonZeroValue()).isLessThanOrEqualTo(QUICK_MICROS);
        assertThat(took.getCountBetweenValues(LONG_MICROS, 2 * LONG_MICROS)).isZero();
    }

    @Test
    void oneWaitingCallerInTwoHundredDoesNotMoveThe99thPercentile() {
        for (int i = 0; i < REPORTS_A_SECOND; i++) {
            reports.add(0, report(1, times(50, QUICK_MICROS), times(1, LONG_MICROS)));
        }

        Second second = reports.second(ONE);

        assertThat(second.millisAt(99)).isLessThan(2);
        assertThat(second.longestMillis()).isGreaterThanOrEqualTo(1_000);
    }

    @Test
    void aCallThatEndsWithinTheSecondIsNotStillWaiting() {
        reports.add(0, report(1, times(0, 0), times(1, LONG_MICROS)));
        reports.add(0, report(0, times(1, LONG_MICROS), times(0, 0)));

        assertThat(reports.second(ONE).took().getTotalCount()).isEqualTo(1);
    }

    @Test
    void theNextSecondBeginsEmptyAndTheTotalStays() {
        reports.add(0, report(3, times(1, QUICK_MICROS), times(1, LONG_MICROS)));
        reports.second(ONE);

        Second next = reports.second(ONE);

        assertThat(next.took().getTotalCount()).isZero();
        assertThat(next.stuck()).isZero();
        assertThat(next.counted().get(Count.CALLS)).isZero();
        assertThat(next.total().get(Count.CALLS)).isEqualTo(1);
    }

    @Test
    void callersStuckAreTheMostOfEachProcessTogether() {
        reports.add(0, report(3, times(0, 0), times(0, 0)));
        reports.add(0, report(7, times(0, 0), times(0, 0)));
        reports.add(0, report(5, times(0, 0), times(0, 0)));
        reports.add(1, report(2, times(0, 0), times(0, 0)));

        assertThat(reports.second(BOTH).stuck()).isEqualTo(9);
    }

    @Test
    void aProcessLoadsOrIsStaleForASecond() {
        reports.addCounts(0, counts(Count.QUERIES));
        reports.addCounts(1, counts(Count.STALE));
        assertThat(reports.second(BOTH).states()).containsExactly(ProcessState.LOADING, ProcessState.STALE);

        assertThat(reports.second(BOTH).states()).containsExactly(ProcessState.FRESH, ProcessState.FRESH);
    }

    @Test
    void aLongLoadIsSeenInEachSecond() {
        reports.add(0, report(0, times(0, 0), times(0, 0)).with(Reporter.LOADING, 1));

        assertThat(reports.second(ONE).states()).containsExactly(ProcessState.LOADING);
    }

    @Test
    void aProcessThatIsGoneIsDeadWhateverItDidBefore() {
        reports.addCounts(0, counts(Count.QUERIES));

        Second second = reports.second(List.of(false, true));

        assertThat(second.states()).containsExactly(ProcessState.DEAD, ProcessState.FRESH);
        assertThat(second.processes()).isEqualTo(1);
        assertThat(second.total().get(Count.QUERIES)).isEqualTo(1);
    }

    private static Message counts(Count count) {
        Counts counts = new Counts();
        counts.add(count);
        return counts.moveInto(Message.of("counts"));
    }

    private static Histogram times(int count, long micros) {
        Histogram histogram = Second.noLatencies();
        histogram.recordValueWithCount(micros, count);
        return histogram;
    }

    private static Message report(long stuck, Histogram ended, Histogram still) {
        Counts counts = new Counts();
        counts.add(Count.CALLS);
        return counts.moveInto(Message.of(Reporter.REPORT))
                .with(Reporter.STUCK, stuck)
                .with(Reporter.LOADING, 0)
                .with(Reporter.LATENCIES, Latencies.encode(ended))
                .with(Reporter.STILL, Latencies.encode(still));
    }
}
