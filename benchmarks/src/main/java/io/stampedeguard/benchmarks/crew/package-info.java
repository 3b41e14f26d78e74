/**
 * The processes that run the workloads, with both ends of the connection: the work of a round, and its results. The
 * members depend on the peers, and not on the workloads.
 */
@NullMarked
package io.stampedeguard.benchmarks.crew;

import org.jspecify.annotations.NullMarked;
