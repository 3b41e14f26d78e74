package io.stampedeguard.redis.internal.invalidation;

import java.util.BitSet;
import java.util.Map;
import java.util.function.Supplier;
import redis.clients.jedis.Connection;

/**
 * A single server. <em>Thread-safe.</em>
 *
 * @param connections makes a connection
 */
public record SingleServer(Supplier<Connection> connections) implements ChangeServers {
    @Override
    public Map<?, BitSet> places(String cache) {
        return Map.of("the server", ChangeServers.onlyPart());
    }

    @Override
    public Connection open(Object place) {
        return connections.get();
    }
}
