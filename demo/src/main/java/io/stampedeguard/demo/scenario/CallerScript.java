package io.stampedeguard.demo.scenario;

import java.util.concurrent.atomic.AtomicBoolean;

/** What the callers of a process ask for; each has a sequence of its own. */
public interface CallerScript {
    /** Returns the sequence of a caller, who begins at the release. */
    Keys keysOf(int caller);

    /** Each caller asks once, at the release, all for the same. */
    static CallerScript once(long key) {
        return caller -> {
            AtomicBoolean asked = new AtomicBoolean();
            return () -> asked.getAndSet(true) ? Keys.END : key;
        };
    }

    /** One key after another. Not thread-safe. */
    interface Keys {
        /** Stands for: no more. */
        long END = Long.MIN_VALUE;

        /** Waits until it is time to ask, and tells for what. */
        long next() throws InterruptedException;
    }
}
