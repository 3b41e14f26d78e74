package io.stampedeguard.testbed;

import java.net.URI;
import java.time.Duration;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.util.Pool;

/** A bare Jedis client, for comparisons. */
public final class PlainRedis {
    private static final int DEFAULT_PORT = 6379;
    private static final Duration LONGEST_QUEUE = Duration.ofSeconds(10);

    private PlainRedis() {}

    /**
     * Connects, with a pool that is filled immediately.
     *
     * @param address {@code redis[s]://[user:password@]host[:port]}
     * @param connections the size of the pool; if all connections are in use, a caller waits for up to 10 s
     * @return the client, to be closed
     * @throws redis.clients.jedis.exceptions.JedisException if the server does not answer; no connection is left
     */
    public static RedisClient connect(String address, int connections) {
        URI uri = URI.create(address);
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(connections);
        pool.setMaxIdle(connections);
        pool.setMinIdle(connections);
        pool.setMaxWait(LONGEST_QUEUE);
        RedisClient client = RedisClient.builder()
                .hostAndPort(new HostAndPort(uri.getHost(), uri.getPort() == -1 ? DEFAULT_PORT : uri.getPort()))
                .clientConfig(DefaultJedisClientConfig.builder(uri).resp2().build())
                .poolConfig(pool)
                .build();
        return filled(client, connections);
    }

    /** Otherwise each retry of a caller would leave a pool behind until the server answers. */
    private static RedisClient filled(RedisClient client, int connections) {
        try {
            Pool<Connection> pool = client.getPool();
            pool.addObjects(connections);
            return client;
        } catch (RuntimeException e) {
            client.close();
            throw e;
        }
    }
}
