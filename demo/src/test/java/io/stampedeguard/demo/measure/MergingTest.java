package io.stampedeguard.demo.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class MergingTest {
    @Test
    void queriesOfSeveralProcessesAreOneLog() {
        QueryLog one = new QueryLog();
        QueryLog other = new QueryLog();
        for (int i = 0; i < 2_000; i++) {
            one.add(100 * i, 100 * i + 10, 100 * i + 60);
            other.add(100 * i, 100 * i + 50, 100 * i + 90);
        }
        QueryLog all = new QueryLog();
        all.addAll(one.encode());
        all.addAll(other.encode());
        all.addAll(new QueryLog().encode());

        assertThat(all.size()).isEqualTo(4_000);
        assertThat(all.running().most()).isEqualTo(2);
        assertThat(one.running().most()).isEqualTo(1);
        assertThat(all.runningOrQueued().steps().get(0)).isEqualTo(new Concurrency.Step(0, 2));
    }

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
}
