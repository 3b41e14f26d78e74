/**
 * The live page, {@code ./stampede demo --serve}: two fleets of real processes under the same steady load, one with
 * plain cache-aside, one guarded, and a web page that compares them and has buttons that break both.
 *
 * <p>Packages in the order in which the data flows, each of which depends on earlier ones only: {@code figures}, {@code member},
 * {@code stage}, {@code page}, {@code web}.
 */
@NullMarked
package io.stampedeguard.demo.serve;

import org.jspecify.annotations.NullMarked;
