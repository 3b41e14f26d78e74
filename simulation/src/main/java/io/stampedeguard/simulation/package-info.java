/**
 * The command {@code ./stampede simulate}: thousands of processes with the real cache, in virtual time, over one simulated Redis.
 */
@NullMarked
package io.stampedeguard.simulation;

import org.jspecify.annotations.NullMarked;
