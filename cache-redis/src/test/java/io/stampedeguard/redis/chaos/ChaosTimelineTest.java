package io.stampedeguard.redis.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.redis.chaos.ChaosTimeline.Made;
import io.stampedeguard.testbed.fleet.Message;
import java.io.StringReader;
import java.time.Duration;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

final class ChaosTimelineTest {
    private static final List<Made> FAULTS = List.of(
            new Made(Fault.REDIS_STALLED, Duration.ofMillis(500), Duration.ofMillis(1_500)),
            new Made(Fault.FLUSHALL, Duration.ofMillis(1_700), Duration.ofMillis(1_701)));

    private static Message report(int second, int calls, String breaker) {
        Activity activity = new Activity();
        for (int i = 0; i < calls; i++) {
            activity.call(Duration.ofMillis(4).toNanos(), i > 0);
            activity.query();
        }
        return activity.next(second, breaker);
    }

    private static ChaosTimeline timeline(String breaker) {
        List<Message> reports =
                List.of(report(0, 10, breaker), report(0, 5, "CLOSED"), report(1, 2, breaker), report(9, 1, breaker));
        return ChaosTimeline.of(7, 3, reports, FAULTS);
    }

    @Test
    void eachSecondIsALineWithFleetTotalsAndFaults() {
        List<JsonNode> lines = timeline("OPEN").jsonLines().stream()
                .map(line -> JsonMapper.shared().readTree(line))
                .toList();

        assertThat(lines).hasSize(3 + 2);
        JsonNode first = lines.get(0);
        assertThat(first.get("calls").asLong()).isEqualTo(15);
        assertThat(first.get("errors").asLong()).isEqualTo(2);
        assertThat(first.get("queries").asLong()).isEqualTo(15);
        assertThat(first.get("p99Ms").asDouble()).isBetween(3.9, 4.1);
        assertThat(first.get("breaker").asString()).isEqualTo("CLOSED,OPEN");
        assertThat(first.get("faults").asString()).isEqualTo("Redis stalled");
        assertThat(lines.get(1).get("faults").asString()).isEqualTo("Redis stalled, FLUSHALL");
        assertThat(lines.get(2).get("calls").asLong())
                .as("a second without calls")
                .isZero();
        assertThat(lines.get(2).has("faults")).isFalse();
        assertThat(lines.get(3).get("beginMs").asLong()).isEqualTo(500);
    }

    @Test
    void pictureIsXmlWithThreeCurvesAndTheNamesOfTheFaults() throws Exception {
        Document picture = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(ChaosPicture.of(timeline("OPEN")))));

        assertThat(picture.getElementsByTagName("path").getLength()).isEqualTo(3);
        assertThat(picture.getDocumentElement().getTextContent())
                .contains("Redis stalled", "FLUSHALL", "queries per second", "circuit breakers", "seed 7");
        assertThat(ChaosPicture.of(ChaosTimeline.of(7, 3, List.of(report(0, 10, "")), FAULTS)))
                .as("states that nobody reports")
                .doesNotContain("circuit breakers");
    }
}
