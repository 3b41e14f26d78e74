/** JMH benchmarks of the most frequent paths, and measurements of their cost for Redis. */
@NullMarked
package io.stampedeguard.benchmarks;

import org.jspecify.annotations.NullMarked;
