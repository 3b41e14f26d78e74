/** The only clock of the library, its only way to wait, and its random numbers. */
@NullMarked
package io.stampedeguard.time;

import org.jspecify.annotations.NullMarked;
