package io.stampedeguard.demo.serve.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.demo.serve.figures.Count;
import io.stampedeguard.demo.serve.figures.Counts;
import io.stampedeguard.demo.serve.figures.Sample;
import io.stampedeguard.demo.serve.figures.Second;
import io.stampedeguard.demo.serve.figures.Side;
import io.stampedeguard.demo.serve.figures.Tally;
import io.stampedeguard.testbed.fleet.Message;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class OutcomeTest {
    @Test
    void whatCameOfItIsToldOnceTheSecondsAreOver() {
        Outcome outcome = new Outcome("The hot key expired", Count.HOT_QUERIES, 2, totals(10, 3, 0), totals(1, 2, 0));

        assertThat(outcome.sees(sample(1_234_000, 4_000))).isFalse();
        assertThat(outcome.sees(sample(20_000, 2_000))).isTrue();

        assertThat(outcome.line(totals(44, 4, 2)))
                .isEqualTo(
                        "The hot key expired: naive 34 queries in the 2 s since (9 in the 2 s before), slowest call 1.2 s, 2 failed"
                                + " — guarded 1 query in the 2 s since (1 in the 2 s before), slowest call 4.0 ms");
    }

    @Test
    void theFiguresAreThoseOfTheLine() {
        Outcome outcome = new Outcome("The hot key expired", Count.HOT_QUERIES, 4, totals(10, 3, 0), Map.of());
        assertThat(outcome.figures(totals(10, 3, 0)).toString())
                .isEqualTo(
                        "{\"of\":\"The hot key expired\",\"seconds\":0,\"within\":4,"
                                + "\"naive\":{\"queries\":0,\"slowest\":\"0.0 ms\"},\"guarded\":{\"queries\":0,\"slowest\":\"0.0 ms\"}}");

        outcome.sees(sample(1_000_000, 4_000));

        assertThat(outcome.figures(totals(74, 4, 0)).toString())
                .contains("\"seconds\":1,")
                .contains("\"naive\":{\"queries\":64,\"slowest\":\"1.0 s\"}")
                .contains("\"guarded\":{\"queries\":1,\"slowest\":\"4.0 ms\"}");
    }

    @Test
    void theLineIsEnglishWhereverItRuns() {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.GERMANY);
            Outcome outcome = new Outcome("All keys expired", Count.HOT_QUERIES, 1, totals(0, 0, 0), Map.of());
            outcome.sees(sample(1_234_000, 4_000));

            assertThat(outcome.line(totals(1_500, 4, 0)))
                    .isEqualTo("All keys expired: naive 1,500 queries in the 1 s since, slowest call 1.2 s"
                            + " — guarded 4 queries in the 1 s since, slowest call 4.0 ms");
        } finally {
            Locale.setDefault(before);
        }
    }

    private static Map<Side, Tally> totals(long naive, long guarded, long naiveFailures) {
        return new EnumMap<>(Map.of(Side.NAIVE, tally(naive, naiveFailures), Side.GUARDED, tally(guarded, 0)));
    }

    private static Tally tally(long hotQueries, long failures) {
        Counts counts = new Counts();
        counts.add(Count.HOT_QUERIES, hotQueries);
        counts.add(Count.FAILURES, failures);
        return Tally.of(counts.moveInto(Message.of("report")));
    }

    private static Sample sample(long naiveMicros, long guardedMicros) {
        return new Sample(0, true, false, Map.of(Side.NAIVE, second(naiveMicros), Side.GUARDED, second(guardedMicros)));
    }

    private static Second second(long longestMicros) {
        Histogram took = Second.noLatencies();
        took.recordValue(longestMicros);
        return new Second(2, Tally.ZERO, Tally.ZERO, 0, took);
    }
}
