package io.stampedeguard.demo.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.demo.measure.Figures;
import io.stampedeguard.demo.measure.Mode;
import io.stampedeguard.demo.measure.QueryLog;
import io.stampedeguard.testbed.measure.Latencies;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class OutageTimelineTest {
    private static final long RELEASED = 5_000_000;

    /** Three seconds, in which so many gets end; as many queries begin in the second one, two at a time. */
    private static Figures figures(Mode mode, int... gets) {
        List<Latencies> seconds = new ArrayList<>();
        for (int count : gets) {
            Latencies latencies = new Latencies();
            for (int i = 0; i < count; i++) {
                latencies.record(2_000_000);
            }
            seconds.add(latencies);
        }
        QueryLog log = new QueryLog();
        for (int i = 0; i < gets[1]; i++) {
            long began = RELEASED + 1_000_000 + i * 1_000L;
            log.add(began, began, began + 2_000);
        }
        return new Figures("outage", mode, 2, 4, RELEASED, new Latencies(), log, 0, 0, 0, 0, null, null, seconds);
    }

    @Test
    void bothModesAreSideBySideInALineForEachSecond() {
        List<Figures> all = List.of(figures(Mode.PLAIN, 300, 20, 250), figures(Mode.GUARDED_NEAR, 310, 1, 0));

        assertThat(FigureReport.tableOfOutages(all, 1, 2)
                        .lines()
                        .map(line -> line.trim().split(" {2,}")))
                .containsExactly(
                        new String[] {
                            "Redis",
                            "second",
                            "plain: gets",
                            "queries",
                            "at once",
                            "p99 ms",
                            "guarded-near: gets",
                            "queries",
                            "at once",
                            "p99 ms"
                        },
                        new String[] {"runs", "0", "300", "0", "0", "2.0", "310", "0", "0", "2.0"},
                        new String[] {"stopped", "1", "20", "20", "2", "2.0", "1", "1", "1", "2.0"},
                        new String[] {"runs", "2", "250", "0", "0", "2.0", "0", "0", "0"});
    }

    @Test
    void withoutAnOutageThereIsNoTimeline() {
        Figures cold = new Figures(
                "cold", Mode.PLAIN, 2, 4, RELEASED, new Latencies(), new QueryLog(), 0, 0, 0, 0, null, null, List.of());

        assertThat(FigureReport.tableOfOutages(List.of(cold), 1, 2)).isEmpty();
        assertThat(FigureReport.jsonOfSeconds(cold, 1, 2)).isEmpty();
    }
}
