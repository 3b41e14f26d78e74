package io.stampedeguard.internal.storage;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Decides, for the whole process, whether the store is down. One request without an answer proves nothing: the answer may have
 * been lost, while another process holds the lease. The store is down if the last requests in a row, at least two, had no
 * answer, whichever caller sent them. <em>Thread-safe.</em>
 */
public final class StoreSilence {
    private static final int ENOUGH = 2;

    private final AtomicInteger unanswered = new AtomicInteger();

    /** Records an answer. On the path of each hit, so it writes only if this changes something. */
    void answered() {
        if (unanswered.get() != 0) {
            unanswered.set(0);
        }
    }

    void unanswered() {
        unanswered.updateAndGet(number -> Math.min(ENOUGH, number + 1));
    }

    public boolean isDown() {
        return unanswered.get() >= ENOUGH;
    }
}
