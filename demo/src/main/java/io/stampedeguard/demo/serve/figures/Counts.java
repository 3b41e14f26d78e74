package io.stampedeguard.demo.serve.figures;

import io.stampedeguard.testbed.fleet.Message;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The counts of a process since its last report. <em>Thread-safe.</em> */
public final class Counts {
    private final Map<Count, Long> counts = new ConcurrentHashMap<>();

    public void add(Count count) {
        add(count, 1);
    }

    public void add(Count count, long number) {
        counts.merge(count, number, Long::sum);
    }

    /** Adds all counts to a message and resets them. */
    public Message moveInto(Message message) {
        Message all = message;
        for (Count count : Count.values()) {
            Long counted = counts.remove(count);
            all = all.with(count.name(), counted == null ? 0 : counted);
        }
        return all;
    }
}
