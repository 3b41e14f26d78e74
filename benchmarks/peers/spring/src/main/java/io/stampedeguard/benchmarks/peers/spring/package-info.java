/** Spring Data Redis as a peer of {@code ./stampede bench}. */
@NullMarked
package io.stampedeguard.benchmarks.peers.spring;

import org.jspecify.annotations.NullMarked;
