package io.stampedeguard.benchmarks.peer;

import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.CacheListener;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** What the workloads ask of a guarded cache, counted by its events. <em>Thread-safe.</em> */
public final class GuardedCounts implements CacheListener {
    private final LongAdder waits = new LongAdder();
    private final Map<String, LongAdder> unleasedLoads = new ConcurrentHashMap<>();

    /** Creates counts of zero. */
    public GuardedCounts() {}

    @Override
    public void onEvent(String name, CacheEvent event) {
        String type = event.type().name();
        if (type.startsWith("WAIT_")) {
            waits.increment();
        } else if (type.startsWith("UNLEASED_")) {
            unleasedLoads.computeIfAbsent(type, none -> new LongAdder()).increment();
        }
    }

    /** Returns the answer to {@link Peer#waits()}. */
    public OptionalLong waits() {
        return OptionalLong.of(waits.sum());
    }

    /** Returns the answer to {@link Peer#unleasedLoads()}. */
    public Map<String, Long> unleasedLoads() {
        Map<String, Long> counts = new HashMap<>();
        unleasedLoads.forEach((reason, count) -> counts.put(reason, count.sum()));
        return counts;
    }
}
