/** A run as one model, and the formats in which it is written. Depends on the workloads, the peers, and their results. */
@NullMarked
package io.stampedeguard.benchmarks.report;

import org.jspecify.annotations.NullMarked;
