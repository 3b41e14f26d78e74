/** The compared caches, each behind the same few methods. Depends on no other package of this module. */
@NullMarked
package io.stampedeguard.benchmarks.peer;

import org.jspecify.annotations.NullMarked;
