package io.stampedeguard.metrics;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.Operation;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The meters that every cache must have, listed independently of the code that creates them. */
final class MeterTable {
    private MeterTable() {}

    static Set<String> meters() {
        Set<String> meters = new TreeSet<>(List.of(
                "cache.stampede.gets result=hit",
                "cache.stampede.gets result=miss",
                "cache.stampede.puts",
                "cache.stampede.near.evictions",
                "cache.stampede.near.size",
                "cache.stampede.loads.running",
                "cache.stampede.loads.permits",
                "cache.stampede.fleet.processes",
                "cache.stampede.loads.stuck",
                "cache.stampede.origin.state",
                "cache.stampede.loads.saved",
                "cache.stampede.loads.duplicate",
                "cache.stampede.loads.absent",
                "cache.stampede.waiting",
                "cache.stampede.changes.queued",
                "cache.stampede.breaker",
                "cache.stampede.wakeup.lag",
                "cache.stampede.stale.age",
                "cache.stampede.cooldowns",
                "cache.stampede.filter.fill",
                "cache.stampede.filter.rate",
                "cache.stampede.payload",
                "cache.stampede.near.gaps"));
        add(meters, "cache.stampede.lookups answer=", AnswerSource.values(), "");
        addTypes(meters, "cache.stampede.reads outcome=", "STORE_");
        addTypes(meters, "cache.stampede.loads outcome=", "LOAD_");
        addTypes(meters, "cache.stampede.leases outcome=", "LEASE_");
        addTypes(meters, "cache.stampede.loads.unleased reason=", "UNLEASED_");
        addTypes(meters, "cache.stampede.waits outcome=", "WAIT_");
        addTypes(meters, "cache.stampede.refreshes outcome=", "REFRESH_");
        addTypes(meters, "cache.stampede.filter.answers outcome=", "FILTER_");
        add(meters, "cache.stampede.faults source=", FaultSource.values(), "");
        Operation[] commands =
                Stream.of(Operation.values()).filter(Operation::isOfStore).toArray(Operation[]::new);
        add(meters, "cache.stampede.store.calls command=", commands, " outcome=answered");
        add(meters, "cache.stampede.store.calls command=", commands, " outcome=failed");
        return meters;
    }

    private static void add(Set<String> meters, String before, Enum<?>[] values, String after) {
        Stream.of(values).map(value -> before + TagValues.of(value) + after).forEach(meters::add);
    }

    private static void addTypes(Set<String> meters, String before, String action) {
        Stream.of(EventType.values())
                .filter(type -> type.name().startsWith(action))
                .map(type -> before + TagValues.of(type, action))
                .forEach(meters::add);
    }
}
