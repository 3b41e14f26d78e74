package io.stampedeguard.metrics;

import io.stampedeguard.event.BreakerState;
import io.stampedeguard.event.CacheGauges;
import io.stampedeguard.event.OriginState;

/** Gauges of a cache without activity: each number is different. */
record FixedGauges(
        int loadsRunning,
        int loadPermits,
        int fleetProcesses,
        int loadsStuck,
        OriginState originState,
        int waiting,
        int queuedChanges,
        BreakerState breaker,
        long nearSize,
        long nearEvictions,
        double filterFill,
        double filterRate)
        implements CacheGauges {
    static final FixedGauges IDLE =
            new FixedGauges(0, 0, 0, 0, OriginState.NORMAL, 0, 0, BreakerState.CLOSED, 0, 0, 0, 0);
    static final FixedGauges BUSY =
            new FixedGauges(3, 32, 6, 2, OriginState.EXTENDED_STALE, 17, 7, BreakerState.OPEN, 1_000, 50, 0.25, 0.01);
}
