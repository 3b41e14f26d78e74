package io.stampedeguard.demo.serve.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ExpositionTest {
    @Test
    void linesOfAMetricOfSeveralProcessesStandTogether() {
        String one = """
                # HELP a_total an a
                # TYPE a_total counter
                a_total{process="1"} 1.0
                # HELP b a b
                # TYPE b gauge
                b{process="1"} 2.0
                """;
        String other = one.replace("process=\"1\"", "process=\"2\"");

        assertThat(Exposition.merged(List.of(one, "", other))).isEqualTo("""
                # HELP a_total an a
                # TYPE a_total counter
                a_total{process="1"} 1.0
                a_total{process="2"} 1.0
                # HELP b a b
                # TYPE b gauge
                b{process="1"} 2.0
                b{process="2"} 2.0
                """);
    }
}
