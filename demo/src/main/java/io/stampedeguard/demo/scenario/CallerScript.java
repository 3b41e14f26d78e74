package io.stampedeguard.demo.scenario;

import java.util.concurrent.atomic.AtomicBoolean;

/** The requests of the callers of a process; each caller has a sequence of its own. */
public interface CallerScript {
    Keys keysOf(int caller);

    /** Returns a script in which each caller requests the same key once, at the release. */
    static CallerScript once(long key) {
        return caller -> {
            AtomicBoolean asked = new AtomicBoolean();
            return () -> asked.getAndSet(true) ? Keys.END : key;
        };
    }

    /** A sequence of keys. Not thread-safe. */
    interface Keys {
        /** The value for the end of the sequence. */
        long END = Long.MIN_VALUE;

        /** Waits until the next request is due, and returns its key. */
        long next() throws InterruptedException;
    }
}
