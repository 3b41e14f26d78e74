/** The only clock and the only place to wait. */
@NullMarked
package io.stampedeguard.time;

import org.jspecify.annotations.NullMarked;
