/**
 * A fleet of real JVMs on this machine, for tests, demo, and benchmarks. They are started together, released at one
 * instant, asked for their figures, killed, paused, and resumed. None of them outlives its parent.
 *
 * <p>The parent holds a {@link io.stampedeguard.testbed.fleet.Fleet}; the main class of a member opens a {@link
 * io.stampedeguard.testbed.fleet.FleetLink}. They exchange {@link io.stampedeguard.testbed.fleet.Message}s, one a line,
 * over the member's standard input and output.
 */
@NullMarked
package io.stampedeguard.testbed.fleet;

import org.jspecify.annotations.NullMarked;
