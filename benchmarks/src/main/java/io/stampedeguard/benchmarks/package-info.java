/** JMH benchmarks of the most frequent paths, and a measurement of what a key filter costs. */
@NullMarked
package io.stampedeguard.benchmarks;

import org.jspecify.annotations.NullMarked;
