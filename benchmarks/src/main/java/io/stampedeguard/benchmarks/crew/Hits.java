package io.stampedeguard.benchmarks.crew;

import io.stampedeguard.testbed.program.ThreadKind;
import java.time.Duration;

/**
 * The reads of some threads of one process in a round. The keys are in the cache, and each thread reads them as fast as possible
 * for a while, one by one or several {@code atOnce}; {@code key} is their prefix. <em>Immutable.</em>
 */
public record Hits(String key, int keys, int threads, ThreadKind kind, int atOnce, Duration length) {}
