/** The caches that are compared, each behind the same few methods. Knows nobody. */
@NullMarked
package io.stampedeguard.benchmarks.peer;

import org.jspecify.annotations.NullMarked;
