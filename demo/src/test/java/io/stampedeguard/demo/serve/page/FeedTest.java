package io.stampedeguard.demo.serve.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.demo.serve.figures.ProcessState;
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
    private static final int PRESSES = 60;

    private final Feed feed = new Feed();

    @Test
    void aLateSubscriberGetsTheGreetingThenTheLastTwoMinutes() throws Exception {
        for (int i = 0; i < 2 * SAMPLES; i++) {
            feed.sample(sample(i));
            feed.press(i, numbered(i));
        }
        Subscriber late = new Subscriber();
        feed.add(late, "{}");

        assertThat(late.take()).isEqualTo("event: start\ndata: {}\n\n");
        List<String> events = new ArrayList<>();
        for (int i = 0; i < SAMPLES + PRESSES; i++) {
            events.add(late.take());
        }
        assertThat(late.take()).isEqualTo("event: now\ndata: {}\n\n");
        assertThat(events.subList(0, SAMPLES)).allMatch(event -> event.startsWith("event: sample\ndata: {"));
        assertThat(events.subList(SAMPLES, events.size())).allMatch(event -> event.startsWith("event: press\ndata: {"));
        assertThat(data(events.get(0)).get("at").asLong()).isEqualTo(SAMPLES);
        assertThat(data(events.get(events.size() - 1)).get("number").asInt()).isEqualTo(239);
    }

    @Test
    void aLateSubscriberGetsTheLatestFiguresOfAPressOnly() throws Exception {
        feed.press(1, numbered(1));
        feed.press(1, numbered(2));
        Subscriber late = new Subscriber();
        feed.add(late, "{}");

        late.take();
        assertThat(late.take()).isEqualTo("event: press\ndata: {\"number\":2}\n\n");
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
    void aSentenceMayHoldAnyText() throws Exception {
        Subscriber subscriber = new Subscriber();
        feed.add(subscriber, "{}");

        feed.press(1, new JsonObject().text("sentence", "\"quoted\" \\ and\nbroken — ü"));

        subscriber.take();
        subscriber.take();
        String event = subscriber.take();
        assertThat(event.lines()).hasSize(3);
        assertThat(data(event).get("sentence").asString()).isEqualTo("\"quoted\" \\ and\nbroken — ü");
    }

    private static JsonObject numbered(int number) {
        return new JsonObject().number("number", number);
    }

    private static JsonNode data(String event) {
        return JsonMapper.shared().readTree(event.substring(event.indexOf("data: ") + 6));
    }

    private static Sample sample(long at) {
        Map<Side, Second> seconds = new EnumMap<>(Side.class);
        for (Side side : Side.values()) {
            seconds.put(side, new Second(List.of(ProcessState.FRESH), Tally.ZERO, Tally.ZERO, 0, Second.noLatencies()));
        }
        return new Sample(at, true, false, true, seconds);
    }
}
