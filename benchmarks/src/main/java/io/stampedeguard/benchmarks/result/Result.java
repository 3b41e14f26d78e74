package io.stampedeguard.benchmarks.result;

/**
 * What came of one round that counts, or of all together where they add up.
 *
 * @param workload the name of the workload
 * @param peer the name of the peer
 * @param config the name of the set-up
 * @param round which round, from 1; where they add up, how many
 * @param figures what was measured
 */
public record Result(String workload, String peer, String config, int round, Figures figures) {}
