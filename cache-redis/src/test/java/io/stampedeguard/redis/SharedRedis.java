package io.stampedeguard.redis;

import io.stampedeguard.testbed.RedisServer;
import redis.clients.jedis.RedisClient;

/** The one server of this test JVM, for tests that neither stop nor configure it. Keys are theirs alone by name. */
final class SharedRedis {
    private static final RedisServer SERVER = RedisServer.start();

    private SharedRedis() {}

    static String uri() {
        return SERVER.uri();
    }

    static RedisClient client() {
        return RedisClient.create(SERVER.uri());
    }
}
