package io.stampedeguard.redis;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.providers.ConnectionProvider;
import redis.clients.jedis.providers.PooledConnectionProvider;

/** Connections that an application lends by itself, so that the store cannot see their pool. */
record HiddenConnections(PooledConnectionProvider pooled) implements ConnectionProvider {
    static UnifiedJedis client(HostAndPort address) {
        return new UnifiedJedis(
                new HiddenConnections(new PooledConnectionProvider(address, Topologies.config(), Topologies.pool(4))),
                RedisProtocol.RESP2) {};
    }

    @Override
    public Connection getConnection() {
        return pooled.getConnection();
    }

    @Override
    public Connection getConnection(CommandArguments arguments) {
        return pooled.getConnection();
    }

    @Override
    public void close() {
        pooled.close();
    }
}
