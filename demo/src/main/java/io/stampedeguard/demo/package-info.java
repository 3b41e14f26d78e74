/**
 * {@code ./stampede demo}: a stampede of a fleet of real processes on a real Redis and a real database, without and with the
 * cache. This package contains the program, {@code member} a process of the fleet, and {@code scenario} the situations.
 */
@NullMarked
package io.stampedeguard.demo;

import org.jspecify.annotations.NullMarked;
