/** Traces of requests, read from files. Depends on no other package of this module. */
@NullMarked
package io.stampedeguard.testbed.trace;

import org.jspecify.annotations.NullMarked;
