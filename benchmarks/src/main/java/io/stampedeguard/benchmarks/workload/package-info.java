/** The workloads, a file each: the requests of the callers, and the resulting figures. */
@NullMarked
package io.stampedeguard.benchmarks.workload;

import org.jspecify.annotations.NullMarked;
