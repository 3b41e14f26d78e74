package io.stampedeguard.testbed.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LatencyTest {
    private static final Duration TEN = Duration.ofMillis(10);

    @Test
    void jitterAddsToTheDelayAndEqualSeedsDrawEqualDelays() {
        Latency latency = Latency.of(TEN, Duration.ofMillis(5));

        assertThat(drawn(latency, 7))
                .isEqualTo(drawn(latency, 7))
                .isNotEqualTo(drawn(latency, 8))
                .doesNotHaveDuplicates()
                .allMatch(nanos -> nanos >= 10_000_000 && nanos <= 15_000_000);
    }

    @Test
    void withoutJitterNothingIsDrawn() {
        SplittableRandom random = new SplittableRandom(7);

        assertThat(Latency.of(TEN, Duration.ZERO).draw(random)).isEqualTo(10_000_000);
        assertThat(Latency.NONE.draw(random)).isZero();
        assertThat(random.nextLong()).isEqualTo(new SplittableRandom(7).nextLong());
    }

    @Test
    void aDelayIsNotNegative() {
        assertThatThrownBy(() -> Latency.of(TEN.negated(), TEN))
                .hasMessage("latency PT-0.01S or jitter PT0.01S is negative");
        assertThatThrownBy(() -> Latency.of(TEN, TEN.negated())).isInstanceOf(IllegalArgumentException.class);
    }

    private static List<Long> drawn(Latency latency, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        return Stream.generate(() -> latency.draw(random)).limit(20).toList();
    }
}
