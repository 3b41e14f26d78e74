package io.stampedeguard.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.BreakerState;
import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.CacheGauges;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.OriginState;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one cache, one for each value of each tag, so that all exist, at zero, before the first event. Events find
 * their meter by their type. No meter has the name of one of Micrometer's own cache binders, which use other
 * tags and types: some registries reject the second of two such meters. <em>Thread-safe.</em>
 */
final class CacheMeters {
    final AnswerCounts answers = new AnswerCounts();
    private final LongAdder duplicateLoads = new LongAdder();
    volatile @Nullable CacheGauges gauges;
    private final Map<EventType, Counter> counters = new EnumMap<>(EventType.class);
    private final Map<EventType, Timer> timers = new EnumMap<>(EventType.class);
    private final PerConstant<FaultSource, Counter> faults;
    private final DistributionSummary payload;
    final StoreCallTimers storeCalls;

    private final MeterSet<CacheMeters> all;

    CacheMeters(MeterRegistry registry, String cache) {
        all = new MeterSet<>(registry, cache, this);
        count("cache.stampede.reads", "Reads of the shared store, by result", "outcome", "STORE_");
        count(
                "cache.stampede.leases",
                "Attempts to take a lease, by result, and leases found to be lost",
                "outcome",
                "LEASE_");
        count("cache.stampede.loads.unleased", "Loads without a lease, by reason", "reason", "UNLEASED_");
        count("cache.stampede.refreshes", "Background reloads that were queued or dropped", "outcome", "REFRESH_");
        count("cache.stampede.filter.answers", "Keys looked up in the key filter, by result", "outcome", "FILTER_");
        count(EventType.ABSENT, "cache.stampede.loads.absent", "Loads of keys that the origin does not have");
        count(EventType.STORED, "cache.stampede.puts", "Values stored, after a load or by put");
        count(
                EventType.COOL_DOWN,
                "cache.stampede.cooldowns",
                "Failed loads after which no process loads the key for a while");
        count(EventType.NEAR_GAP, "cache.stampede.near.gaps", "Times at which the near cache may have missed changes");
        faults = all.counters(
                "cache.stampede.faults",
                "Exceptions that no caller sees, by the component that threw them",
                "source",
                FaultSource.values());
        time("cache.stampede.loads", "Loads, by result", Buckets.LOADS, "LOAD_");
        time("cache.stampede.waits", "Waits for a load by another caller, by result", Buckets.WAITS, "WAIT_");
        timers.put(
                EventType.WOKEN,
                all.timer(
                        "cache.stampede.wakeup.lag",
                        "Time from the end of a load until a waiting caller received its result",
                        Buckets.WAKE_UP_LAG));
        timers.put(
                EventType.STALE,
                all.timer("cache.stampede.stale.age", "Age of the stale values that were returned", Buckets.STALE_AGE));
        payload = all.bytes("cache.stampede.payload", "Sizes of the stored values, as encoded by the codec");
        storeCalls = new StoreCallTimers(all);
        addCounted();
        addGauges();
    }

    private void count(EventType type, String name, String description) {
        counters.put(type, all.counter(name, description));
    }

    /** Creates a counter for each type of an action; the rest of the type's name is the value of the tag. */
    private void count(String name, String description, String tag, String action) {
        typesOf(action)
                .forEach(type -> counters.put(type, all.counter(name, description, tag, TagValues.of(type, action))));
    }

    private void time(String name, String description, Duration[] buckets, String action) {
        typesOf(action)
                .forEach(type ->
                        timers.put(type, all.timer(name, description, buckets, "outcome", TagValues.of(type, action))));
    }

    private static List<EventType> typesOf(String action) {
        return Stream.of(EventType.values())
                .filter(type -> type.name().startsWith(action))
                .toList();
    }

    /** Counts an event, and records its figure. */
    void add(CacheEvent event) {
        Counter counter = counters.get(event.type());
        if (counter != null) {
            counter.increment();
        }
        if (event instanceof CacheEvent.Measured measured) {
            record(measured.type(), measured.amount());
        } else if (event instanceof CacheEvent.Fault fault) {
            faults.of(fault.source()).increment();
        }
    }

    private void record(EventType type, long amount) {
        Timer timer = timers.get(type);
        if (timer != null) {
            timer.record(amount, TimeUnit.NANOSECONDS);
        }
        if (type == EventType.LOAD_FENCED) {
            duplicateLoads.increment();
        }
        if (type == EventType.STORED && amount > 0) {
            payload.record((double) amount);
        }
    }

    private void addCounted() {
        for (AnswerSource source : AnswerSource.values()) {
            all.counted(
                    "cache.stampede.lookups",
                    "Answers to callers, by source; getAll counts one for each key",
                    meters -> meters.answers.of(source),
                    "answer",
                    TagValues.of(source));
        }
        String gets = "Answers to callers, by whether the cache had them";
        all.counted("cache.stampede.gets", gets, meters -> meters.answers.hits(), "result", "hit");
        all.counted("cache.stampede.gets", gets, meters -> meters.answers.misses(), "result", "miss");
        all.counted(
                "cache.stampede.loads.saved",
                "Answers for which the caller did not load",
                meters -> meters.answers.saved());
        all.counted(
                "cache.stampede.loads.duplicate",
                "Loads whose value was fenced because the lease was lost or the key invalidated",
                meters -> meters.duplicateLoads.sum());
        all.counted(
                "cache.stampede.near.evictions",
                "Near-cache copies evicted because the cache was full",
                meters -> meters.now(CacheGauges::nearEvictions));
    }

    private void addGauges() {
        gauge("cache.stampede.near.size", "Copies in the near cache", CacheGauges::nearSize);
        gauge(
                "cache.stampede.loads.running",
                "Load permits in use: by loads, and by callers that ask the store for the lease",
                CacheGauges::loadsRunning);
        gauge("cache.stampede.loads.permits", "Loads that may run at the same time", CacheGauges::loadPermits);
        gauge(
                "cache.stampede.fleet.processes",
                "Processes that share the origin's budget; 0 without one",
                CacheGauges::fleetProcesses);
        gauge(
                "cache.stampede.loads.stuck",
                "Loaders that were interrupted at the load timeout and have not returned",
                CacheGauges::loadsStuck);
        gauge(
                "cache.stampede.origin.state",
                "How many loads the cache sheds, from 0 (none) to 3 (all background loads)",
                gauges -> severity(gauges.originState()));
        gauge("cache.stampede.waiting", "Callers that wait for a load or for a permit", CacheGauges::waiting);
        gauge(
                "cache.stampede.changes.queued",
                "Keys whose changes wait until the store answers",
                CacheGauges::queuedChanges);
        gauge(
                "cache.stampede.breaker",
                "Circuit breaker in front of the store: 0 closed, 1 half-open, 2 open",
                gauges -> severity(gauges.breaker()));
        gauge("cache.stampede.filter.fill", "Share of the key filter's bits that are set", CacheGauges::filterFill);
        gauge("cache.stampede.filter.rate", "Estimated false-positive rate of the key filter", CacheGauges::filterRate);
    }

    private void gauge(String name, String description, ToDoubleFunction<CacheGauges> value) {
        all.gauge(name, description, meters -> meters.now(value));
    }

    /** Returns a current value of the open cache; 0 if no cache was opened since the listener was added. */
    private double now(ToDoubleFunction<CacheGauges> value) {
        CacheGauges open = gauges;
        return open == null ? 0 : value.applyAsDouble(open);
    }

    /** Returns the value of the meter: the more the origin is spared, the greater. */
    private static int severity(OriginState state) {
        return switch (state) {
            case NORMAL -> 0;
            case NO_EARLY_REFRESH -> 1;
            case EXTENDED_STALE -> 2;
            case DEFERRED -> 3;
        };
    }

    /** Returns the value of the meter: the worse, the greater. */
    private static int severity(BreakerState state) {
        return switch (state) {
            case CLOSED -> 0;
            case HALF_OPEN -> 1;
            case OPEN -> 2;
        };
    }

    /** Removes all meters from the registry. Concurrent events are lost. */
    void remove() {
        all.remove();
    }
}
