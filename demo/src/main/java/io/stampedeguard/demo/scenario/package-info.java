/** The situations that a cache gets into, and what the callers of a process do in each of them. */
@NullMarked
package io.stampedeguard.demo.scenario;

import org.jspecify.annotations.NullMarked;
