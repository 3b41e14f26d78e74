package io.stampedeguard.testbed.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class LatenciesTest {
    @Test
    void latenciesOfSeveralProcessesAreOneHistogram() {
        Latencies one = new Latencies();
        Latencies other = new Latencies();
        for (int i = 1; i <= 100; i++) {
            one.record(i * 1_000_000L);
            other.record((100 + i) * 1_000_000L);
        }
        one.addAll(other.encode());

        assertThat(one.count()).isEqualTo(200);
        assertThat(one.millisAt(50)).isCloseTo(100, within(0.2));
        assertThat(one.millisAt(99)).isCloseTo(198, within(0.4));
        assertThat(one.millisAt(100)).isCloseTo(200, within(0.4));
        assertThat(one.countLongerThan(150.5)).isEqualTo(50);
    }

    @Test
    void callsFromZeroToTheLongestFitInWhateverOrderTheyCome() {
        Latencies all = new Latencies();
        for (long nanos = 1; nanos > 0; nanos <<= 1) {
            Latencies one = new Latencies();
            one.record(0);
            one.record(nanos);
            all.addAll(one.encode());
        }

        assertThat(all.count()).isEqualTo(2 * 63);
        assertThat(all.millisAt(100)).as("an hour").isCloseTo(3_600_000, within(3_600.0));
    }
}
