package io.stampedeguard.internal.read;

import io.stampedeguard.event.BreakerState;
import io.stampedeguard.event.CacheGauges;
import io.stampedeguard.event.OriginState;
import io.stampedeguard.filter.FilterState;
import io.stampedeguard.internal.call.FleetBudget;
import io.stampedeguard.internal.call.LoadPermits;
import io.stampedeguard.internal.call.OriginGuard;
import io.stampedeguard.internal.near.NearCache;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.spi.BreakerEvents;
import io.stampedeguard.internal.storage.KeyAdmission;
import io.stampedeguard.internal.storage.PendingChanges;
import org.jspecify.annotations.Nullable;

/** The gauges of one cache. <em>Thread-safe.</em> */
public record Gauges(
        LoadPermits permits,
        OriginGuard guard,
        @Nullable FleetBudget budget,
        CacheEvents events,
        PendingChanges pending,
        @Nullable BreakerEvents store,
        @Nullable NearCache<?, ?> near,
        KeyAdmission<?> admission)
        implements CacheGauges {
    @Override
    public int loadPermits() {
        return permits.limit();
    }

    @Override
    public int loadsRunning() {
        return permits.running();
    }

    @Override
    public int loadsStuck() {
        return permits.stuck();
    }

    @Override
    public int fleetProcesses() {
        return budget == null ? 0 : budget.processes();
    }

    @Override
    public OriginState originState() {
        return guard.lastState();
    }

    @Override
    public int waiting() {
        return events.waiting() + permits.waiting();
    }

    @Override
    public int queuedChanges() {
        return pending.size();
    }

    @Override
    public BreakerState breaker() {
        return store == null ? BreakerState.CLOSED : store.breaker();
    }

    @Override
    public long nearSize() {
        return near == null ? 0 : near.size();
    }

    @Override
    public long nearEvictions() {
        return near == null ? 0 : near.evictions();
    }

    @Override
    public double filterFill() {
        FilterState state = admission.filterState();
        return state == null ? 0 : state.fill();
    }

    @Override
    public double filterRate() {
        FilterState state = admission.filterState();
        return state == null ? 1 : state.estimatedRate();
    }
}
