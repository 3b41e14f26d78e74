package io.stampedeguard.demo.serve.page;

import io.stampedeguard.demo.serve.figures.Sample;
import io.stampedeguard.testbed.program.JsonObject;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The events for the browsers: a sample each second, a line for each action, and the contrast of the last action. A new
 * subscriber first gets the samples of the last two minutes, the last lines, and the contrast. Of bounded size, however long it
 * runs. <em>Thread-safe.</em>
 */
public final class Feed {
    private static final int SAMPLES = 120;
    private static final int LINES = 60;

    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<String> samples = new ArrayDeque<>();
    private final Deque<String> lines = new ArrayDeque<>();
    private final Set<Subscriber> subscribers = new HashSet<>();
    private long lastLine;
    private String contrast = "";

    public void sample(Sample sample) {
        publish(samples, SAMPLES, "event: sample\ndata: " + sample.json() + "\n\n");
    }

    public void say(String text) {
        lock.lock();
        try {
            JsonObject line = new JsonObject()
                    .number("id", ++lastLine)
                    .number("at", System.currentTimeMillis())
                    .text("text", text);
            publish(lines, LINES, "event: line\ndata: " + line + "\n\n");
        } finally {
            lock.unlock();
        }
    }

    /** Publishes the figures of both fleets for the last action; a new subscriber gets the latest ones only. */
    public void contrast(JsonObject figures) {
        lock.lock();
        try {
            contrast = "event: contrast\ndata: " + figures + "\n\n";
            send(contrast);
        } finally {
            lock.unlock();
        }
    }

    private void send(String event) {
        subscribers.removeIf(subscriber -> !subscriber.offer(event));
    }

    private void publish(Deque<String> past, int most, String event) {
        lock.lock();
        try {
            past.add(event);
            if (past.size() > most) {
                past.remove();
            }
            send(event);
        } finally {
            lock.unlock();
        }
    }

    /** Adds a subscriber, which first gets {@code greeting} and the past events; an event {@code now} ends these. */
    public void add(Subscriber subscriber, String greeting) {
        lock.lock();
        try {
            subscriber.offer("event: start\ndata: " + greeting + "\n\n");
            samples.forEach(subscriber::offer);
            lines.forEach(subscriber::offer);
            if (!contrast.isEmpty()) {
                subscriber.offer(contrast);
            }
            subscriber.offer("event: now\ndata: {}\n\n");
            subscribers.add(subscriber);
        } finally {
            lock.unlock();
        }
    }

    public void remove(Subscriber subscriber) {
        lock.lock();
        try {
            subscribers.remove(subscriber);
        } finally {
            lock.unlock();
        }
    }

    public int subscribers() {
        lock.lock();
        try {
            return subscribers.size();
        } finally {
            lock.unlock();
        }
    }
}
