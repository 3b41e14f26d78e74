/**
 * The processes that the workloads are run with, both ends of the line: what they can be asked to do in a round, and what
 * they answer. The members know the peers and nothing of workloads.
 */
@NullMarked
package io.stampedeguard.benchmarks.crew;

import org.jspecify.annotations.NullMarked;
