package io.stampedeguard.redis;

import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testbed.topology.RedisSentinels;
import io.stampedeguard.testkit.SharedStoreContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import redis.clients.jedis.RedisSentinelClient;

/** The master is one that Sentinels name. */
class SentinelContractTest extends SharedStoreContract {
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

    @Override
    protected SharedStore store() {
        return RedisStore.using(client);
    }

    @Override
    protected void pass(Duration length) throws InterruptedException {
        Thread.sleep(length.toMillis());
    }
}
