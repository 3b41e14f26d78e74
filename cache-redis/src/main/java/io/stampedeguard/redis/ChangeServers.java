package io.stampedeguard.redis;

import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisSentinelClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.Pool;

/** The servers at which changes are made: one, or the masters of a cluster. <em>Thread-safe.</em> */
interface ChangeServers {
    /** Finds the servers of a client of the caller's; {@code null} if it does not show its connections. */
    static @Nullable ChangeServers of(UnifiedJedis client, RedisKeys keys) {
        if (client instanceof RedisClient single) {
            return new Pooled(() -> Map.of("the server", single.getPool()));
        }
        if (client instanceof RedisSentinelClient watched) {
            return new Pooled(watched::getPrimaryNodesConnectionMap);
        }
        return client instanceof RedisClusterClient cluster ? new ClusterMasters(cluster, keys) : null;
    }

    /**
     * Tells which servers there are at the moment, of which each has to be listened to. May block; throws what Jedis
     * throws.
     *
     * @param cache the name of a cache whose keys may be read
     * @return at least one, each in any form that stays the same
     */
    Set<?> places(String cache);

    /** Opens a connection to one of them, for the caller alone. Blocks; throws what Jedis throws. */
    Connection open(Object place);

    /** Makes a connection as those of a pool are, which does not count against it. */
    static Connection beside(Pool<Connection> pool) {
        try {
            return pool.getFactory().makeObject().getObject();
        } catch (RuntimeException failure) {
            throw failure;
        } catch (Exception declared) {
            throw new JedisException(declared);
        }
    }

    /**
     * A single server that a client shows, or the master that Sentinels know at the moment.
     *
     * @param pools tells the one pool, and where it leads
     */
    record Pooled(Supplier<? extends Map<?, ? extends Pool<Connection>>> pools) implements ChangeServers {
        @Override
        public Set<?> places(String cache) {
            return Set.copyOf(pools.get().keySet());
        }

        @Override
        public Connection open(Object place) {
            Pool<Connection> pool = pools.get().get(place);
            if (pool == null) {
                throw new JedisException(place + " is no longer the master");
            }
            return beside(pool);
        }
    }

    /**
     * A single server.
     *
     * @param connections makes a connection
     */
    record Single(Supplier<Connection> connections) implements ChangeServers {
        @Override
        public Set<?> places(String cache) {
            return Set.of("the server");
        }

        @Override
        public Connection open(Object place) {
            return connections.get();
        }
    }
}
