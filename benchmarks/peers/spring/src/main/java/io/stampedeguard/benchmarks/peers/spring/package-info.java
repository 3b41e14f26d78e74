/** Spring's cache annotations on several cache managers, as peers of {@code ./stampede bench}. */
@NullMarked
package io.stampedeguard.benchmarks.peers.spring;

import org.jspecify.annotations.NullMarked;
