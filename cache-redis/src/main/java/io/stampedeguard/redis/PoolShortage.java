package io.stampedeguard.redis;

import java.util.Map;
import org.apache.commons.pool2.impl.GenericObjectPool;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisSentinelClient;
import redis.clients.jedis.UnifiedJedis;

/** Tells when a pool has no connection left. Pure. */
final class PoolShortage {
    private PoolShortage() {}

    /** Looks at the pools of a client of the caller's; {@code null} if they have some left, or the client does not show them. */
    static @Nullable String of(UnifiedJedis client) {
        if (client instanceof RedisClient single) {
            return of(single.getPool());
        }
        if (client instanceof RedisSentinelClient watched) {
            return ofAny(watched.getPrimaryNodesConnectionMap());
        }
        return client instanceof RedisClusterClient cluster ? ofAny(cluster.getClusterNodes()) : null;
    }

    private static @Nullable String ofAny(Map<?, ? extends GenericObjectPool<Connection>> pools) {
        for (GenericObjectPool<Connection> pool : pools.values()) {
            String shortage = of(pool);
            if (shortage != null) {
                return shortage;
            }
        }
        return null;
    }

    static @Nullable String of(GenericObjectPool<Connection> pool) {
        int most = pool.getMaxTotal();
        return most < 0 || pool.getNumActive() < most
                ? null
                : "all connections of the pool are in use: " + most + "; callers that wait for one: "
                        + pool.getNumWaiters();
    }
}
