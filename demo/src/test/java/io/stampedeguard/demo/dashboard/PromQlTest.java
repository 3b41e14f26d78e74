package io.stampedeguard.demo.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PromQlTest {
    @Test
    void anExpressionNamesItsMetricsWithTheLabelsTheyAreChosenBy() {
        PromQl parsed = PromQl.parse(
                "histogram_quantile(0.99, sum by (le, job) (rate(a_bucket{job=~\"$job\", c!=\"x|y\"}[$__rate_interval]))) > 2e3");

        assertThat(parsed.selectors())
                .containsExactly(new PromQl.Selector("a_bucket", Map.of("job", List.of("$job"), "c", List.of("x|y"))));
        assertThat(parsed.groupedBy()).containsExactlyInAnyOrder("le", "job");
    }

    @Test
    void joinsAndAlternativesAreRead() {
        PromQl parsed =
                PromQl.parse("sum(a{v=~\"x|y\"}) without (z)\n  and on (i, j) max by (i) (b >= bool 1) / c offset 5m");

        assertThat(parsed.selectors())
                .containsExactly(
                        new PromQl.Selector("a", Map.of("v", List.of("x", "y"))),
                        new PromQl.Selector("b", Map.of()),
                        new PromQl.Selector("c", Map.of()));
        assertThat(parsed.groupedBy()).containsExactlyInAnyOrder("z", "i", "j");
    }
}
