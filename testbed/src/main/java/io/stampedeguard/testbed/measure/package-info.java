/** What demo and benchmarks measure with: latencies, rows of instants, Redis commands. Knows nobody. */
@NullMarked
package io.stampedeguard.testbed.measure;

import org.jspecify.annotations.NullMarked;
