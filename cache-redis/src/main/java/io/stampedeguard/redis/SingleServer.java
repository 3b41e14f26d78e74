package io.stampedeguard.redis;

import java.util.Set;
import java.util.function.Supplier;
import redis.clients.jedis.Connection;

/**
 * A single server. <em>Thread-safe.</em>
 *
 * @param connections makes a connection
 */
record SingleServer(Supplier<Connection> connections) implements ChangeServers {
    @Override
    public Set<?> places(String cache) {
        return Set.of("the server");
    }

    @Override
    public Connection open(Object place) {
        return connections.get();
    }
}
