/**
 * Waiting for the loads of others. {@link FlightWait} waits for another caller of this process; {@link PeerWait} waits for another
 * process, and {@link PeerResults} completes flights with what that process brought about. Not exported.
 */
@NullMarked
package io.stampedeguard.internal.peer;

import org.jspecify.annotations.NullMarked;
