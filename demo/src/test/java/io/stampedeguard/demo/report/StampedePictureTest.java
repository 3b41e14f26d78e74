package io.stampedeguard.demo.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.demo.measure.Figures;
import io.stampedeguard.demo.measure.Mode;
import io.stampedeguard.demo.measure.QueryLog;
import io.stampedeguard.testbed.measure.Latencies;
import java.io.StringReader;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

class StampedePictureTest {
    @Test
    void thePictureIsXmlThatTellsTheFiguresOfBothModes() throws Exception {
        String svg = StampedePicture.of(figures(Mode.PLAIN, 8, 4_120), figures(Mode.GUARDED, 1, 45));
        Document document =
                DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(svg)));

        assertThat(document.getDocumentElement().getTextContent())
                .contains("8 callers in 2 processes")
                .contains("8 callers, 8 queries, slowest answer 4.1 s")
                .contains("8 callers, 1 query, slowest answer 45 ms")
                .contains("queries running, at most 8 at once")
                .contains("5 s");
        assertThat(document.getElementsByTagName("path").getLength()).isEqualTo(4);
    }

    private static Figures figures(Mode mode, int queries, int slowestMillis) {
        Latencies latencies = new Latencies();
        for (int i = 1; i <= 8; i++) {
            latencies.record(slowestMillis * 1_000_000L * i / 8);
        }
        QueryLog log = new QueryLog();
        for (int i = 0; i < queries; i++) {
            log.add(1_000_000, 1_001_000 + i, 1_000_000 + slowestMillis * 1_000L);
        }
        return new Figures("cold", mode, 2, 4, 1_000_000, latencies, log, 16, 8, 0, 0, null, null, List.of());
    }
}
