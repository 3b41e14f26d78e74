/** A store on Redis whose leases are also held by a majority of independent servers. */
@NullMarked
package io.stampedeguard.redlock;

import org.jspecify.annotations.NullMarked;
