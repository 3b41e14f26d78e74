package io.stampedeguard.redis.internal.pubsub;

import redis.clients.jedis.Connection;

/**
 * A connection for messages of a server.
 *
 * @param place the server, in a form that is equal for two connections to it
 * @param connection the connection, to be closed
 */
public record NoticeConnection(Object place, Connection connection) {}
