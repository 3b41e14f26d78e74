package io.stampedeguard.demo.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ZipfTraceTest {
    private static final int REQUESTS = 200_000;
    private static final int KEYS = 1_000;

    @ParameterizedTest
    @ValueSource(longs = {1, 7, 42})
    void popularityFollowsZipfsLaw(long seed) {
        double exponent = ZipfTrace.PRODUCTION_EXPONENT;
        double total = IntStream.rangeClosed(1, KEYS)
                .mapToDouble(rank -> Math.pow(rank, -exponent))
                .sum();
        int[] counts = new int[KEYS + 1];
        for (int key : new ZipfTrace(REQUESTS, KEYS, exponent, seed).draw()) {
            counts[key]++;
        }
        for (int rank : new int[] {1, 2, 3, 10, 50, 200}) {
            double expected = REQUESTS * Math.pow(rank, -exponent) / total;
            assertThat((double) counts[rank])
                    .as("rank %d, seed %d", rank, seed)
                    .isCloseTo(expected, within(5 * Math.sqrt(expected)));
        }
        assertThat(counts[0]).isZero();
    }

    @Test
    void equalSeedsGiveEqualTraces() {
        int[] trace = new ZipfTrace(1_000, 100, 1.1, 5).draw();
        assertThat(new ZipfTrace(1_000, 100, 1.1, 5).draw()).isEqualTo(trace);
        assertThat(new ZipfTrace(1_000, 100, 1.1, 6).draw()).isNotEqualTo(trace);
    }
}
