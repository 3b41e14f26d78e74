package io.stampedeguard.demo.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.measure.Concurrency;
import org.junit.jupiter.api.Test;

class QueryLogTest {
    @Test
    void queriesCountWhenTheyBegin() {
        QueryLog log = new QueryLog();
        log.add(5, 10, 30);
        log.add(5, 20, 30);

        assertThat(log.begunBetween(0, 10)).isZero();
        assertThat(log.begunBetween(10, 20)).isEqualTo(1);
        assertThat(log.begunBetween(10, 21)).isEqualTo(2);
    }

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
}
