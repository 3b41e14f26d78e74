/** A run as one HTML page. Depends on the workloads, the peers, and their results. */
@NullMarked
package io.stampedeguard.benchmarks.report;

import org.jspecify.annotations.NullMarked;
