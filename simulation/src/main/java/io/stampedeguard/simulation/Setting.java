package io.stampedeguard.simulation;

import java.time.Duration;

/**
 * The inputs of one run, which determine its result. <em>Immutable.</em>
 *
 * @param scenario what happens
 * @param processes the number of processes, each with one cache
 * @param keys the number of keys that callers may read
 * @param callers the number of callers in each process that read a cold key at one instant
 * @param reads the reads in each process, per second, at random instants
 * @param ttl the soft TTL; entries are served stale for as long again
 * @param load the mean duration of a load, which is evenly distributed from half to one and a half of it
 * @param roundTrip the time on the network between a process and Redis, both ways
 * @param seed of all random numbers
 */
record Setting(
        Scenario scenario,
        int processes,
        int keys,
        int callers,
        int reads,
        Duration ttl,
        Duration load,
        Duration roundTrip,
        long seed) {}
