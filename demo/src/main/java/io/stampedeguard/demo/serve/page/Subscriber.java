package io.stampedeguard.demo.serve.page;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** The events that one browser has not been sent yet. <em>Thread-safe.</em> */
public final class Subscriber {
    /** A browser that is so far behind has left, or will reconnect. */
    private static final int FARTHEST_BEHIND = 400;

    private static final String END = "";

    private final BlockingQueue<String> events = new LinkedBlockingQueue<>(FARTHEST_BEHIND);
    private volatile boolean ended;

    boolean offer(String event) {
        boolean offered = !ended && events.offer(event);
        ended = !offered;
        return offered;
    }

    /** Waits for the next event; returns an empty one at the end. */
    public String take() throws InterruptedException {
        return ended ? END : events.take();
    }
}
