/** Steady traffic on a set of keys for some seconds, and what became of it second by second. */
@NullMarked
package io.stampedeguard.benchmarks.traffic;

import org.jspecify.annotations.NullMarked;
