package io.stampedeguard.redis;

import io.stampedeguard.testbed.topology.RedisCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import redis.clients.jedis.RedisClusterClient;

/** Changes are made at three masters, and told by each. */
class ClusterChangesContractTest {
    private static RedisCluster cluster;
    private static RedisClusterClient client;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start();
        client = Topologies.client(cluster);
    }

    @AfterAll
    static void stop() {
        client.close();
        cluster.close();
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
