package io.stampedeguard.demo.serve.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.demo.serve.figures.Sample;
import io.stampedeguard.demo.serve.figures.Second;
import io.stampedeguard.demo.serve.figures.Side;
import io.stampedeguard.demo.serve.figures.Tally;
import io.stampedeguard.testbed.program.JsonObject;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class FeedTest {
    private static final int SAMPLES = 120;
    private static final int LINES = 60;

    private final Feed feed = new Feed();

    @Test
    void whoComesLateIsToldTheGreetingFirstAndThenTheLastTwoMinutes() throws Exception {
        for (int i = 0; i < 2 * SAMPLES; i++) {
            feed.sample(sample(i));
            feed.say("line " + i);
        }
        Subscriber late = new Subscriber();
        feed.add(late, "{}");

        assertThat(late.take()).isEqualTo("event: start\ndata: {}\n\n");
        List<String> events = new ArrayList<>();
        for (int i = 0; i < SAMPLES + LINES; i++) {
            events.add(late.take());
        }
        assertThat(late.take()).isEqualTo("event: now\ndata: {}\n\n");
        assertThat(events.subList(0, SAMPLES)).allMatch(event -> event.startsWith("event: sample\ndata: {"));
        assertThat(events.subList(SAMPLES, events.size())).allMatch(event -> event.startsWith("event: line\ndata: {"));
        assertThat(data(events.get(0)).get("at").asLong()).isEqualTo(SAMPLES);
        assertThat(data(events.get(events.size() - 1)).get("text").asString()).isEqualTo("line 239");
    }

    @Test
    void aLateSubscriberGetsTheLastContrastOnly() throws Exception {
        feed.contrast(new JsonObject().number("seconds", 1));
        feed.contrast(new JsonObject().number("seconds", 2));
        Subscriber late = new Subscriber();
        feed.add(late, "{}");

        late.take();
        assertThat(late.take()).isEqualTo("event: contrast\ndata: {\"seconds\":2}\n\n");
        assertThat(late.take()).isEqualTo("event: now\ndata: {}\n\n");
    }

    @Test
    void whoDoesNotReadIsForgottenAndToldTheEnd() throws Exception {
        Subscriber idle = new Subscriber();
        feed.add(idle, "{}");

        for (int i = 0; i < 10 * SAMPLES; i++) {
            feed.sample(sample(i));
        }

        assertThat(feed.subscribers()).isZero();
        assertThat(idle.take()).isEmpty();
    }

    @Test
    void aLineMayHoldAnyText() throws Exception {
        Subscriber subscriber = new Subscriber();
        feed.add(subscriber, "{}");

        feed.say("\"quoted\" \\ and\nbroken — ü");

        subscriber.take();
        subscriber.take();
        String event = subscriber.take();
        assertThat(event.lines()).hasSize(3);
        assertThat(data(event).get("text").asString()).isEqualTo("\"quoted\" \\ and\nbroken — ü");
    }

    private static JsonNode data(String event) {
        return JsonMapper.shared().readTree(event.substring(event.indexOf("data: ") + 6));
    }

    private static Sample sample(long at) {
        Map<Side, Second> seconds = new EnumMap<>(Side.class);
        for (Side side : Side.values()) {
            seconds.put(side, new Second(2, Tally.ZERO, Tally.ZERO, 0, Second.noLatencies()));
        }
        return new Sample(at, true, false, seconds);
    }
}
