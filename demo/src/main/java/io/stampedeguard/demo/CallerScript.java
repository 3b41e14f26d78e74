package io.stampedeguard.demo;

/** What the callers of a process ask for; each has a sequence of its own. */
interface CallerScript {
    /** Tells the sequence of a caller, who begins at the release. */
    Keys keysOf(int caller);

    /** One key after another. Not thread-safe. */
    interface Keys {
        /** Stands for: no more. */
        long END = Long.MIN_VALUE;

        /** Waits until it is time to ask, and tells for what. */
        long next() throws InterruptedException;
    }
}
