package io.stampedeguard.redis.internal.invalidation;

import java.util.BitSet;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.Pool;

/**
 * A single server that a client shows, or the master that Sentinels know at the moment. <em>Thread-safe.</em>
 *
 * @param pools tells the one pool, and where it leads
 */
record PooledServer(Supplier<? extends Map<?, ? extends Pool<Connection>>> pools) implements ChangeServers {
    @Override
    public Map<?, BitSet> places(String cache) {
        return pools.get().keySet().stream()
                .collect(Collectors.toMap(place -> place, place -> ChangeServers.onlyPart()));
    }

    @Override
    public Connection open(Object place) {
        Pool<Connection> pool = pools.get().get(place);
        if (pool == null) {
            throw new JedisException(place + " is no longer the master");
        }
        return ChangeServers.beside(pool);
    }
}
