package io.stampedeguard.demo.serve.stage;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.demo.serve.figures.Count;
import io.stampedeguard.demo.serve.figures.Counts;
import io.stampedeguard.demo.serve.figures.Second;
import io.stampedeguard.demo.serve.member.Reporter;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.measure.Latencies;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ReportsTest {
    private static final int REPORTS_A_SECOND = 4;
    private static final long QUICK_MICROS = 1_000;
    private static final long LONG_MICROS = 1_000_000;

    private final Reports reports = new Reports();

    @Test
    void whoStillWaitsIsCountedOnceASecondForEachProcess() {
        for (int i = 1; i <= REPORTS_A_SECOND; i++) {
            reports.add(0, report(1, times(1, QUICK_MICROS), times(1, i * LONG_MICROS)));
            reports.add(1, report(1, times(1, QUICK_MICROS), times(1, i * LONG_MICROS)));
        }

        Histogram took = reports.second(2).took();

        assertThat(took.getTotalCount()).isEqualTo(2 * REPORTS_A_SECOND + 2);
        assertThat(took.getCountBetweenValues(0, QUICK_MICROS)).isEqualTo(2 * REPORTS_A_SECOND);
        assertThat(took.getMinNonZeroValue()).isLessThanOrEqualTo(QUICK_MICROS);
        assertThat(took.getCountBetweenValues(LONG_MICROS, 2 * LONG_MICROS)).isZero();
    }

    @Test
    void oneInTwoHundredWhoWaitsDoesNotMoveTheNinetyNinthPercentile() {
        for (int i = 0; i < REPORTS_A_SECOND; i++) {
            reports.add(0, report(1, times(50, QUICK_MICROS), times(1, LONG_MICROS)));
        }

        Second second = reports.second(1);

        assertThat(second.millisAt(99)).isLessThan(2);
        assertThat(second.longestMillis()).isGreaterThanOrEqualTo(1_000);
    }

    @Test
    void aCallThatEndsWithinTheSecondIsNotStillWaiting() {
        reports.add(0, report(1, times(0, 0), times(1, LONG_MICROS)));
        reports.add(0, report(0, times(1, LONG_MICROS), times(0, 0)));

        assertThat(reports.second(1).took().getTotalCount()).isEqualTo(1);
    }

    @Test
    void theNextSecondBeginsEmptyAndTheTotalStays() {
        reports.add(0, report(3, times(1, QUICK_MICROS), times(1, LONG_MICROS)));
        reports.second(1);

        Second next = reports.second(1);

        assertThat(next.took().getTotalCount()).isZero();
        assertThat(next.waiting()).isZero();
        assertThat(next.counted().get(Count.CALLS)).isZero();
        assertThat(next.total().get(Count.CALLS)).isEqualTo(1);
    }

    @Test
    void callersWaitingAreTheMostOfEachProcessTogether() {
        reports.add(0, report(3, times(0, 0), times(0, 0)));
        reports.add(0, report(7, times(0, 0), times(0, 0)));
        reports.add(0, report(5, times(0, 0), times(0, 0)));
        reports.add(1, report(2, times(0, 0), times(0, 0)));

        assertThat(reports.second(2).waiting()).isEqualTo(9);
    }

    private static Histogram times(int count, long micros) {
        Histogram histogram = Second.noLatencies();
        histogram.recordValueWithCount(micros, count);
        return histogram;
    }

    private static Message report(long waiting, Histogram ended, Histogram still) {
        Counts counts = new Counts();
        counts.add(Count.CALLS);
        return counts.moveInto(Message.of(Reporter.REPORT))
                .with(Reporter.WAITING, waiting)
                .with(Reporter.LATENCIES, Latencies.encode(ended))
                .with(Reporter.STILL, Latencies.encode(still));
    }
}
