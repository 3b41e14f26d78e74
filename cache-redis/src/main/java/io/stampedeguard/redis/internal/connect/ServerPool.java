package io.stampedeguard.redis.internal.connect;

import org.apache.commons.pool2.PooledObjectFactory;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.providers.ConnectionProvider;

/** The connections of a store to its server. <em>Thread-safe.</em> */
public final class ServerPool extends ConnectionPool implements ConnectionProvider {
    ServerPool(HostAndPort server, JedisClientConfig client, GenericObjectPoolConfig<Connection> pool) {
        super(server, client, pool);
    }

    ServerPool(PooledObjectFactory<Connection> factory, GenericObjectPoolConfig<Connection> pool) {
        super(factory, pool);
    }

    @Override
    public Connection getConnection() {
        return getResource();
    }

    @Override
    public Connection getConnection(CommandArguments command) {
        return getResource();
    }

    /**
     * Replaces a broken connection for a caller that waits for one. Since commons-pool2 2.13, a pool always does so, on the thread
     * that gives the broken one back: a server that stalls would cost that thread a second timeout (POOL-431).
     */
    @Override
    public void addObject() throws Exception {
        if (getNumWaiters() > 0) {
            super.addObject();
        }
    }
}
