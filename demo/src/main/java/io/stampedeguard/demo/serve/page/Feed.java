package io.stampedeguard.demo.serve.page;

import io.stampedeguard.demo.serve.figures.Sample;
import io.stampedeguard.testbed.program.JsonObject;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * The events for the browsers: a sample each second, and the presses of buttons, each again when its figures change. A new subscriber
 * first gets the samples of the last two minutes, and the last presses. Of bounded size, however long it runs. <em>Thread-safe.</em>
 */
public final class Feed {
    private static final int SAMPLES = 120;
    private static final int PRESSES = 60;

    private final Deque<String> samples = new ArrayDeque<>();
    private final NavigableMap<Long, String> presses = new TreeMap<>();
    private final Set<Subscriber> subscribers = new HashSet<>();

    public synchronized void sample(Sample sample) {
        String event = event("sample", sample.json());
        samples.add(event);
        if (samples.size() > SAMPLES) {
            samples.remove();
        }
        send(event);
    }

    /** Publishes a press, in place of what was published of it before; numbers increase. */
    public synchronized void press(long id, JsonObject press) {
        String event = event("press", press.toString());
        presses.put(id, event);
        if (presses.size() > PRESSES) {
            presses.pollFirstEntry();
        }
        send(event);
    }

    private static String event(String name, String data) {
        return "event: " + name + "\ndata: " + data + "\n\n";
    }

    private void send(String event) {
        subscribers.removeIf(subscriber -> !subscriber.offer(event));
    }

    /** Adds a subscriber, which first gets {@code greeting} and the past events; an event {@code now} ends these. */
    public synchronized void add(Subscriber subscriber, String greeting) {
        subscriber.offer(event("start", greeting));
        samples.forEach(subscriber::offer);
        presses.values().forEach(subscriber::offer);
        subscriber.offer(event("now", "{}"));
        subscribers.add(subscriber);
    }

    public synchronized void remove(Subscriber subscriber) {
        subscribers.remove(subscriber);
    }

    public synchronized int subscribers() {
        return subscribers.size();
    }
}
