package io.stampedeguard.redis;

import io.stampedeguard.testbed.topology.RedisSentinels;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import redis.clients.jedis.RedisSentinelClient;

/** Sentinels name the master. */
@Tag("topology")
class SentinelContractTest extends RedisContract {
    @AutoClose
    private static final RedisSentinels sentinels = RedisSentinels.startWithoutFailover();

    @AutoClose
    private static final RedisSentinelClient client = Topologies.client(sentinels);

    @AutoClose
    private static final RedisStore store = RedisStore.connect(Topologies.uri(sentinels), SharedRedis.PATIENT);

    @Override
    protected RedisStore store() {
        return store;
    }

    @Override
    RedisStore open(RedisStoreOptions options) {
        return RedisStore.using(client, options);
    }
}
