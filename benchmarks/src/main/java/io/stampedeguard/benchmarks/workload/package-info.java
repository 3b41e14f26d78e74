/** The workloads, a file each: who asks for what when, and which figures come of it. */
@NullMarked
package io.stampedeguard.benchmarks.workload;

import org.jspecify.annotations.NullMarked;
