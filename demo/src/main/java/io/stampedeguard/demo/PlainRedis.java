package io.stampedeguard.demo;

import java.net.URI;
import java.time.Duration;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;

/** A bare Jedis client with as many connections as the guarded cache's store has. */
final class PlainRedis {
    private static final int CONNECTIONS = 16;
    private static final int DEFAULT_PORT = 6379;
    private static final Duration LONGEST_QUEUE = Duration.ofSeconds(10);

    private PlainRedis() {}

    static RedisClient connect(String address) {
        URI uri = URI.create(address);
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(CONNECTIONS);
        pool.setMaxIdle(CONNECTIONS);
        pool.setMinIdle(CONNECTIONS);
        pool.setMaxWait(LONGEST_QUEUE);
        return RedisClient.builder()
                .hostAndPort(new HostAndPort(uri.getHost(), uri.getPort() == -1 ? DEFAULT_PORT : uri.getPort()))
                .clientConfig(DefaultJedisClientConfig.builder(uri).resp2().build())
                .poolConfig(pool)
                .build();
    }
}
