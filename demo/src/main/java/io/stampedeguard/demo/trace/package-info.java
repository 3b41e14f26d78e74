/** Traces of requests: generated, or read from a file. Depends on no other package of this module. */
@NullMarked
package io.stampedeguard.demo.trace;

import org.jspecify.annotations.NullMarked;
