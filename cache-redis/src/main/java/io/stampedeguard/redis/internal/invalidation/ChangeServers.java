package io.stampedeguard.redis.internal.invalidation;

import io.stampedeguard.redis.internal.cluster.Cluster;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.redis.internal.connect.ClientConnections;
import java.util.BitSet;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.Pool;

/** The servers at which changes are made: one, or the masters of a cluster. <em>Thread-safe.</em> */
public interface ChangeServers {
    /** Finds the servers of a client of the caller's; {@code null} if it does not show its connections. */
    static @Nullable ChangeServers of(
            UnifiedJedis client, ClientConnections connections, @Nullable Cluster cluster, RedisKeys keys) {
        if (cluster != null) {
            return new ClusterMasters(client, cluster, keys);
        }
        return connections.showsOnePool() ? new PooledServer(connections::pools) : null;
    }

    /**
     * Returns the current servers, each of which has to be listened to, and the parts of the keys that each has. May block; throws
     * what Jedis throws.
     *
     * @param cache the name of a cache whose keys may be read
     * @return at least one, each in any form that stays the same
     */
    Map<?, BitSet> places(String cache);

    /** Returns into how many parts the keys are divided, of which each is at one server, or at a few. */
    default int parts() {
        return 1;
    }

    /** Returns the part in which a key is. */
    default int partOf(String key) {
        return 0;
    }

    /** Returns all parts, where there is one. */
    static BitSet onlyPart() {
        BitSet part = new BitSet(1);
        part.set(0);
        return part;
    }

    /** Opens a connection to one of them, for the caller alone. Blocks; throws what Jedis throws. */
    Connection open(Object place);

    /** Creates a connection as those of a pool are, which does not count against it. */
    static Connection beside(Pool<Connection> pool) {
        try {
            return pool.getFactory().makeObject().getObject();
        } catch (RuntimeException failure) {
            throw failure;
        } catch (Exception declared) {
            throw new JedisException(declared);
        }
    }
}
