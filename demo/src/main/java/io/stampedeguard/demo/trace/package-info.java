/** Traces of requests, generated. Depends on no other package of this module. */
@NullMarked
package io.stampedeguard.demo.trace;

import org.jspecify.annotations.NullMarked;
