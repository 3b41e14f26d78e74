/** Real Redis servers for tests, demo and benchmarks. Not published. */
@NullMarked
package io.stampedeguard.testbed;

import org.jspecify.annotations.NullMarked;
