package io.stampedeguard.demo.serve;

import io.stampedeguard.testbed.fleet.Message;
import java.util.concurrent.atomic.AtomicLongArray;

/** What a process has counted since its last report. <em>Thread-safe.</em> */
final class Counts {
    private final AtomicLongArray counts = new AtomicLongArray(Count.values().length);

    void add(Count count) {
        counts.incrementAndGet(count.ordinal());
    }

    void add(Count count, long number) {
        counts.addAndGet(count.ordinal(), number);
    }

    /** Puts all counts into a message and starts anew. */
    Message moveInto(Message message) {
        Message all = message;
        for (Count count : Count.values()) {
            all = all.with(count.name(), counts.getAndSet(count.ordinal(), 0));
        }
        return all;
    }
}
