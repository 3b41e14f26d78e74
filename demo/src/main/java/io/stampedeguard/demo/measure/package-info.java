/** The measurements: gets, queries with their times, latencies, Redis commands. Depends on no other package of this module. */
@NullMarked
package io.stampedeguard.demo.measure;

import org.jspecify.annotations.NullMarked;
