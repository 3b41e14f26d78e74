/**
 * Connections to Redis: which client is used, how calls wait for a connection, and what a failure means. {@link
 * io.stampedeguard.redis.internal.connect.ClientFactory} creates the client of a store that connects itself, {@link
 * io.stampedeguard.redis.internal.connect.ClientConnections} shows the connections of any client, and {@link
 * io.stampedeguard.redis.internal.connect.ConnectionPermits} admits calls to them.
 */
@NullMarked
package io.stampedeguard.redis.internal.connect;

import org.jspecify.annotations.NullMarked;
