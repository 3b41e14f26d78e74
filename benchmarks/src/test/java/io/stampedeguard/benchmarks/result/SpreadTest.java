package io.stampedeguard.benchmarks.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class SpreadTest {
    @Test
    void theMedianOfAnOddNumberIsTheOneInTheMiddle() {
        assertThat(Spread.of(List.of(9, 1.5, 100L, 2, 3))).isEqualTo(new Spread(3, 1.5, 100));
    }

    @Test
    void theMedianOfAnEvenNumberAveragesTheMiddleTwo() {
        assertThat(Spread.of(List.of(4, 1, 3, 2))).isEqualTo(new Spread(2.5, 1, 4));
    }

    @Test
    void noNumbersHaveNoMedian() {
        assertThatThrownBy(() -> Spread.of(List.of())).isInstanceOf(IllegalArgumentException.class);
    }
}
