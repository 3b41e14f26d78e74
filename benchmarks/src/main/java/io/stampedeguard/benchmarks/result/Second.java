package io.stampedeguard.benchmarks.result;

import io.stampedeguard.testbed.measure.Figures;
import org.jspecify.annotations.Nullable;

/**
 * The figures of one second of a round, by its number from 0; {@code phase} and {@code breaker}, the state of the circuit breaker
 * at its end, are words. <em>Immutable.</em>
 */
public record Second(int number, String phase, @Nullable String breaker, Figures figures) {}
