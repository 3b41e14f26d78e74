/** JetCache as a peer of {@code ./stampede bench}. */
@NullMarked
package io.stampedeguard.benchmarks.peers.jetcache;

import org.jspecify.annotations.NullMarked;
