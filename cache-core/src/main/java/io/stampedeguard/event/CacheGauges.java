package io.stampedeguard.event;

/**
 * Current values of a cache in this process. Reading them takes no lock and no round trip. <em>Thread-safe.</em> After the
 * cache is closed, the last values are returned.
 */
public interface CacheGauges {
    /**
     * Returns the number of load permits in use.
     *
     * @return one permit for each call of the loader, for callers and in the background; also those of loads that may never
     *     run, because a permit is acquired before the lease
     */
    int loadsRunning();

    /**
     * Returns the number of loads that may run concurrently.
     *
     * @return the policy's {@code maxConcurrentLoads}
     */
    int loadPermits();

    /**
     * Returns the number of loaders that were cut off at the {@code loadTimeout} and have not ended.
     *
     * @return those that have ignored their interrupt; each occupies a thread
     */
    int loadsStuck();

    /**
     * Returns the number of callers that wait for another caller's load or for a permit.
     *
     * @return callers of this process
     */
    int waiting();

    /**
     * Returns the number of entries in the near cache.
     *
     * @return approximately, of values and of absent keys; 0 without a near cache
     */
    long nearSize();

    /**
     * Returns the number of entries that the near cache has evicted because it was full.
     *
     * @return since the cache was built; 0 without a near cache
     */
    long nearEvictions();

    /**
     * Returns the share of the key filter's bits that are set.
     *
     * @return from 0 to 1; 0 without a key filter
     */
    double filterFill();

    /**
     * Returns the estimated share of nonexistent keys that the key filter lets pass.
     *
     * @return from 0 to 1; 1 without a key filter and while the filter is not in force
     */
    double filterRate();
}
