package io.stampedeguard.redis;

import io.stampedeguard.testbed.topology.RedisSentinels;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import redis.clients.jedis.RedisSentinelClient;

/** The master that tells is the one that Sentinels name. */
class SentinelChangesContractTest {
    private static RedisSentinels sentinels;
    private static RedisSentinelClient client;

    @BeforeAll
    static void start() {
        sentinels = RedisSentinels.start();
        client = Topologies.client(sentinels);
    }

    @AfterAll
    static void stop() {
        client.close();
        sentinels.close();
    }

    @Nested
    class Announced extends RedisChangesContract {
        @Override
        protected RedisStore open() {
            return RedisStore.using(client, options(ChangeFeed.ANNOUNCED));
        }
    }

    @Nested
    class Tracked extends RedisChangesContract {
        @Override
        protected RedisStore open() {
            return RedisStore.using(client, options(ChangeFeed.TRACKED));
        }
    }
}
