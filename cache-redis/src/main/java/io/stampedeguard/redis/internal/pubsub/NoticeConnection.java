package io.stampedeguard.redis.internal.pubsub;

import redis.clients.jedis.Connection;

/**
 * A connection on which a server is to tell when leases end.
 *
 * @param place the server, in any form that two connections to it have in common
 * @param connection the connection, to be closed
 */
public record NoticeConnection(Object place, Connection connection) {}
