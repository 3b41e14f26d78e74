package io.stampedeguard.demo.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.demo.measure.Mode;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ComparisonTest {
    private final Comparison comparison = new Comparison(false);

    @ParameterizedTest
    @ValueSource(strings = {"1 query", "40 queries at once", "256 queries at once", "1,280 queries at once"})
    void columnsAreAtLeastTwoSpacesApartWithinEightyColumns(String plain) {
        Verdict verdict = Verdict.of("99 % answered within", all -> "", "price: first answer", all -> "");

        assertThat(comparison.line("6 penetration", verdict.first().label(), plain, "15 queries at once"))
                .startsWith("  6 penetration 99 % answered within ")
                .endsWith("  15 queries at once")
                .hasSizeLessThanOrEqualTo(80);
    }

    @ParameterizedTest
    @ValueSource(strings = {"24.9 ms (+1 round trip)", "12,345 (near cache)"})
    void longestFigureOfTheGuardedSideFits(String guarded) {
        assertThat(comparison.line("4 replay", "price: 99 % within", "12.3 ms", guarded))
                .hasSizeLessThanOrEqualTo(80);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void scenarioIsTwoLines(boolean colored) {
        Verdict verdict = Verdict.of("one key", all -> "", "last", all -> "");

        assertThat(new Comparison(colored).of(1, "cold", verdict, Mode.GUARDED, List.of()))
                .hasLineCount(2);
    }
}
