/** {@code ./stampede bench}: its options, its run, its report. */
@NullMarked
package io.stampedeguard.benchmarks.bench;

import org.jspecify.annotations.NullMarked;
