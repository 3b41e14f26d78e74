package io.stampedeguard.testbed.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConcurrencyTest {
    @Test
    void nothingIsOpenWithoutIntervals() {
        assertThat(Concurrency.of(new long[0], new long[0]).most()).isZero();
    }

    @Test
    void anIntervalThatBeginsWhereAnotherEndsDoesNotOverlapIt() {
        Concurrency concurrency = Concurrency.of(new long[] {10, 20, 15}, new long[] {20, 30, 18});
        assertThat(concurrency.most()).isEqualTo(2);
        assertThat(concurrency.steps())
                .containsExactly(
                        new Concurrency.Step(10, 1),
                        new Concurrency.Step(15, 2),
                        new Concurrency.Step(18, 1),
                        new Concurrency.Step(20, 1),
                        new Concurrency.Step(30, 0));
    }

    @Test
    void whatWasOpenBeforeCountsUntilItEnds() {
        Concurrency concurrency = Concurrency.of(new long[] {10, 20, 25}, new long[] {30, 40, 26});
        assertThat(concurrency.mostBetween(0, 10)).isZero();
        assertThat(concurrency.mostBetween(0, 20)).isEqualTo(1);
        assertThat(concurrency.mostBetween(20, 26)).isEqualTo(3);
        assertThat(concurrency.mostBetween(26, 30)).isEqualTo(2);
        assertThat(concurrency.mostBetween(30, 50)).isEqualTo(1);
        assertThat(concurrency.mostBetween(40, 50)).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void theSweepAgreesWithCountingAtEachMoment(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long[] begins = LongStream.generate(() -> random.nextInt(200)).limit(60).toArray();
        long[] ends = LongStream.of(begins)
                .map(begin -> begin + 1 + random.nextInt(40))
                .toArray();
        int most = 0;
        for (int now = 0; now < 250; now++) {
            int open = 0;
            for (int i = 0; i < begins.length; i++) {
                open += begins[i] <= now && now < ends[i] ? 1 : 0;
            }
            most = Math.max(most, open);
        }
        assertThat(Concurrency.of(begins, ends).most()).as("seed %d", seed).isEqualTo(most);
    }
}
