/**
 * {@code ./stampede demo}: a stampede of a fleet of real processes on a real Redis and a real database, without and with the
 * cache. This package is the program; {@code member} is a process of the fleet, and {@code scenario} what happens in it.
 */
@NullMarked
package io.stampedeguard.demo;

import org.jspecify.annotations.NullMarked;
