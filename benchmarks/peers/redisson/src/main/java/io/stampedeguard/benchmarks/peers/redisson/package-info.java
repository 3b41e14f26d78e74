/** Redisson as a peer of {@code ./stampede bench}. */
@NullMarked
package io.stampedeguard.benchmarks.peers.redisson;

import org.jspecify.annotations.NullMarked;
