package io.stampedeguard.benchmarks.result;

/**
 * The result of one counted round, or of all rounds together if their figures are added up.
 *
 * @param workload the name of the workload
 * @param peer the name of the peer
 * @param config the name of the set-up
 * @param round the number of the round, from 1; if the figures are added up, the number of rounds
 * @param figures the measured figures
 */
public record Result(String workload, String peer, String config, int round, Figures figures) {}
