package io.stampedeguard.redis.internal.pubsub;

import java.util.function.Supplier;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.Pool;

/**
 * A single server, or the current master according to Sentinel. <em>Thread-safe.</em>
 *
 * @param connections creates connections
 */
public record OneServer(Supplier<Connection> connections) implements NoticeServers {
    private static final String PLACE = "the server";

    /** Creates a server whose connection comes from the caller's pool, if that leaves another one for the caller. */
    static OneServer of(Supplier<Pool<Connection>> pool) {
        return new OneServer(() -> spared(pool.get()));
    }

    /** Borrows a connection, if that leaves another one for the caller. */
    static Connection spared(Pool<Connection> pool) {
        if (pool.getMaxTotal() >= 0 && pool.getMaxTotal() - pool.getNumActive() < 2) {
            throw new JedisException("the pool of " + pool.getMaxTotal() + " connections has none to spare");
        }
        return pool.getResource();
    }

    @Override
    public NoticeConnection open(String channel) {
        return new NoticeConnection(PLACE, connections.get());
    }

    @Override
    public Object placeOf(String channel) {
        return PLACE;
    }
}
