package io.stampedeguard.event;

/**
 * What can be read of a cache at any time, as it is now in this process. Reading takes no lock and no round trip.
 * <em>Thread-safe.</em> After the cache is closed it tells the last of it.
 */
public interface CacheGauges {
    /**
     * Returns how many permits to load are taken.
     *
     * @return those of loads, one for each call of the loader, for callers and in the background; and those of loads that may
     *     never run, as a permit is taken before the store is asked for the lease
     */
    int loadsRunning();

    /**
     * Returns how many loads may run at once.
     *
     * @return the policy's {@code maxConcurrentLoads}
     */
    int loadPermits();

    /**
     * Returns how many loaders were cut off at the {@code loadTimeout} and have not come to an end.
     *
     * @return those that have ignored their interrupt; each keeps a thread
     */
    int loadsStuck();

    /**
     * Returns how many callers wait, for a load of somebody else or for a permit.
     *
     * @return callers of this process
     */
    int waiting();

    /**
     * Returns how many copies the near cache holds.
     *
     * @return about how many, of values and of absent keys; 0 without a near cache
     */
    long nearSize();

    /**
     * Returns how many copies the near cache has had to give up for want of room.
     *
     * @return how many since the cache was built; 0 without a near cache
     */
    long nearEvictions();

    /**
     * Returns which share of its bits the key filter has set.
     *
     * @return from 0 to 1; 0 without a key filter
     */
    double filterFill();

    /**
     * Returns the estimated share of the keys that are not there that the key filter lets pass.
     *
     * @return from 0 to 1; 1 if it is not in force, and without a key filter
     */
    double filterRate();
}
