package io.stampedeguard.demo;

import java.time.Duration;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.RedisClient;

/** A bare Jedis client with the number of connections that the store has, filled at once. */
final class PlainRedis {
    private static final int CONNECTIONS = 16;
    private static final Duration LONGEST_QUEUE = Duration.ofSeconds(10);

    private PlainRedis() {}

    static RedisClient connect(String uri) {
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(CONNECTIONS);
        pool.setMaxIdle(CONNECTIONS);
        pool.setMinIdle(CONNECTIONS);
        pool.setMaxWait(LONGEST_QUEUE);
        return RedisClient.builder().fromURI(uri).poolConfig(pool).build();
    }
}
