/** The only clock of the library, and its only way to wait. */
@NullMarked
package io.stampedeguard.time;

import org.jspecify.annotations.NullMarked;
