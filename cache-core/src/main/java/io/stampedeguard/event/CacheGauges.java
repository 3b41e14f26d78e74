package io.stampedeguard.event;

/**
 * Current values of a cache in this process. Reading them takes no lock and no round trip. <em>Thread-safe.</em> After the cache
 * is closed, the last values are returned.
 */
public interface CacheGauges {
    /**
     * {@return the number of load permits in use} Each call of the loader, for callers or in the background, uses one permit.
     * Loads that may never run are included, because a permit is acquired before the lease.
     */
    int loadsRunning();

    /**
     * {@return the number of loads that may run concurrently: the policy's {@code maxConcurrentLoads}, or this process's share of
     * its {@code originBudget}} After a share was lowered, {@link #loadsRunning} may be higher for a while.
     */
    int loadPermits();

    /**
     * {@return the number of live processes among which the policy's {@code originBudget} is divided, as last known; 0 without a
     * budget, and before the first answer of the store}
     */
    int fleetProcesses();

    /** {@return the number of loaders that run on after their interrupt at the {@code loadTimeout}; each occupies a thread} */
    int loadsStuck();

    /** {@return how many loads the cache sheds now} */
    OriginState originState();

    /** {@return the number of callers of this process that wait for another caller's load or for a permit} */
    int waiting();

    /** {@return the number of keys whose changes are queued in this process until the store answers again} */
    int queuedChanges();

    /** {@return the state of the circuit breaker in front of the store; {@code CLOSED} without one} */
    BreakerState breaker();

    /** {@return the approximate number of entries in the near cache, of values and of absent keys; 0 without a near cache} */
    long nearSize();

    /** {@return the number of entries evicted because the near cache was full, since it was built; 0 without one} */
    long nearEvictions();

    /** {@return the share of the key filter's bits that are set, from 0 to 1; 0 without a key filter} */
    double filterFill();

    /** {@return the estimated share of nonexistent keys that the key filter lets pass, 0 to 1; 1 without a filter in force} */
    double filterRate();
}
