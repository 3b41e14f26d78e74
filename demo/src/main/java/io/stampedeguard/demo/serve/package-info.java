/**
 * The live page, {@code ./stampede demo --serve}: two fleets of real processes under the same steady load, one with plain
 * cache-aside, one guarded, and a web page on which to watch them and to do them harm.
 *
 * <p>To be read as the data flows: in a process of a fleet {@link io.stampedeguard.demo.serve.Callers} ask, {@link
 * io.stampedeguard.demo.serve.Reporter} tells four times a second what has been counted; in the parent a {@link
 * io.stampedeguard.demo.serve.Seat} hears that, a {@link io.stampedeguard.demo.serve.LiveFleet} sums it up, {@link
 * io.stampedeguard.demo.serve.LiveStage} makes a {@link io.stampedeguard.demo.serve.Sample} of it each second, and the
 * {@link io.stampedeguard.demo.serve.Feed} hands it to the browsers. What a button does is in {@link
 * io.stampedeguard.demo.serve.Actions}.
 */
@NullMarked
package io.stampedeguard.demo.serve;

import org.jspecify.annotations.NullMarked;
