/** JMH benchmarks of the paths that are taken most. */
@NullMarked
package io.stampedeguard.benchmarks;

import org.jspecify.annotations.NullMarked;
