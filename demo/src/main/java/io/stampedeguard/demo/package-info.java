/** A stampede, seen: a fleet of real processes before a real Redis and a real database, without and with the guard. */
@NullMarked
package io.stampedeguard.demo;

import org.jspecify.annotations.NullMarked;
