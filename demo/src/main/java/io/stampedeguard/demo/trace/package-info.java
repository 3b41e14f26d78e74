/** Traces of requests: generated, or read from a file. Knows nobody. */
@NullMarked
package io.stampedeguard.demo.trace;

import org.jspecify.annotations.NullMarked;
