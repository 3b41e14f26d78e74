package io.stampedeguard.benchmarks.result;

import io.stampedeguard.testbed.measure.Figures;

/**
 * The result of one counted round, by its number from 1, or of all rounds together if their figures are added up: then {@code
 * round} is the number of rounds. The {@code config} is the name of the set-up.
 */
public record Result(String workload, String peer, String config, int round, Figures figures) {}
