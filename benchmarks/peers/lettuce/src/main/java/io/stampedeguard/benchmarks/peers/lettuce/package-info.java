/** Lettuce as a peer of {@code ./stampede bench}. */
@NullMarked
package io.stampedeguard.benchmarks.peers.lettuce;

import org.jspecify.annotations.NullMarked;
