package io.stampedeguard.metrics;

import io.stampedeguard.event.BreakerState;
import io.stampedeguard.event.CacheGauges;
import io.stampedeguard.event.OriginState;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;

/** The open caches of one name in this process, usually one, read as one: sums, and the worst of shares. <em>Thread-safe.</em> */
final class OpenCaches implements CacheGauges {
    private final List<CacheGauges> open = new CopyOnWriteArrayList<>();

    private final LongAdder evictedByClosed = new LongAdder();

    void add(CacheGauges gauges) {
        open.add(gauges);
    }

    boolean isEmpty() {
        return open.isEmpty();
    }

    /** The counts of removed caches remain, because a counter must not decrease. */
    void remove(CacheGauges gauges) {
        if (open.remove(gauges)) {
            evictedByClosed.add(gauges.nearEvictions());
        }
    }

    @Override
    public int loadsStuck() {
        return open.stream().mapToInt(CacheGauges::loadsStuck).sum();
    }

    @Override
    public int loadsRunning() {
        return open.stream().mapToInt(CacheGauges::loadsRunning).sum();
    }

    @Override
    public int loadPermits() {
        return open.stream().mapToInt(CacheGauges::loadPermits).sum();
    }

    @Override
    public int fleetProcesses() {
        return open.stream().mapToInt(CacheGauges::fleetProcesses).max().orElse(0);
    }

    @Override
    public OriginState originState() {
        return open.stream()
                .map(CacheGauges::originState)
                .max(Comparator.naturalOrder())
                .orElse(OriginState.NORMAL);
    }

    /** Returns the value of the meter: the more the origin is spared, the greater. */
    static int severity(OriginState state) {
        return switch (state) {
            case NORMAL -> 0;
            case NO_EARLY_REFRESH -> 1;
            case EXTENDED_STALE -> 2;
            case DEFERRED -> 3;
        };
    }

    @Override
    public int waiting() {
        return open.stream().mapToInt(CacheGauges::waiting).sum();
    }

    @Override
    public int queuedChanges() {
        return open.stream().mapToInt(CacheGauges::queuedChanges).sum();
    }

    @Override
    public BreakerState breaker() {
        return open.stream()
                .map(CacheGauges::breaker)
                .max(Comparator.comparingInt(state -> severity(state)))
                .orElse(BreakerState.CLOSED);
    }

    /** Returns the value of the meter: the worse, the greater. */
    static int severity(BreakerState state) {
        return switch (state) {
            case CLOSED -> 0;
            case HALF_OPEN -> 1;
            case OPEN -> 2;
        };
    }

    @Override
    public long nearSize() {
        return open.stream().mapToLong(CacheGauges::nearSize).sum();
    }

    @Override
    public long nearEvictions() {
        return open.stream().mapToLong(CacheGauges::nearEvictions).sum() + evictedByClosed.sum();
    }

    @Override
    public double filterFill() {
        return open.stream().mapToDouble(CacheGauges::filterFill).max().orElse(0);
    }

    /** Returns 1 if no cache is open, as without a key filter. */
    @Override
    public double filterRate() {
        return open.stream().mapToDouble(CacheGauges::filterRate).max().orElse(1);
    }
}
