/**
 * Measurements for tests, demo, and benchmarks: latencies, rows of instants, stalls, and the work of Redis. Depends
 * only on the clock that all processes share.
 */
@NullMarked
package io.stampedeguard.testbed.measure;

import org.jspecify.annotations.NullMarked;
