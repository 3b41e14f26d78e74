package io.stampedeguard.redis;

import io.stampedeguard.store.CacheStore;
import io.stampedeguard.testbed.topology.RedisSentinels;
import io.stampedeguard.testkit.LeaseNotificationsContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import redis.clients.jedis.RedisSentinelClient;

/** Sentinels name the master. */
@Tag("topology")
class SentinelContractTest extends LeaseNotificationsContract {
    private static RedisSentinels sentinels;
    private static RedisSentinelClient client;
    private static RedisStore store;

    @BeforeAll
    static void start() {
        sentinels = RedisSentinels.startWithoutFailover();
        client = Topologies.client(sentinels);
        store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER);
    }

    @AfterAll
    static void stop() {
        store.close();
        client.close();
        sentinels.close();
    }

    @Override
    protected CacheStore store() {
        return store;
    }

    @Nested
    class OfChanges extends RedisInvalidationEventsContract {
        @Override
        protected RedisStore open(RedisStoreOptions options) {
            return RedisStore.using(client, options);
        }
    }
}
