/**
 * What tests, demo and benchmarks measure with: latencies, rows of instants, standstills, what Redis has done. Knows the
 * clock that all processes share, and nobody else.
 */
@NullMarked
package io.stampedeguard.testbed.measure;

import org.jspecify.annotations.NullMarked;
