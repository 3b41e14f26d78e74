/** The figures of rounds, their medians and ranges, and the goals that they are compared with. */
@NullMarked
package io.stampedeguard.benchmarks.result;

import org.jspecify.annotations.NullMarked;
