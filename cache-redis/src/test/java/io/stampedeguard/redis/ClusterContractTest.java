package io.stampedeguard.redis;

import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testbed.topology.RedisCluster;
import io.stampedeguard.testkit.NoticesContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import redis.clients.jedis.RedisClusterClient;

/** A cluster refuses a script whose keys are in different slots, and has its keys on three masters; each tells of its own. */
class ClusterContractTest extends NoticesContract {
    private static RedisCluster cluster;
    private static RedisClusterClient client;
    private static RedisStore store;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start();
        client = Topologies.client(cluster);
        store = RedisStore.using(client);
    }

    @AfterAll
    static void stop() {
        store.close();
        client.close();
        cluster.close();
    }

    @Override
    protected SharedStore store() {
        return store;
    }

    @Nested
    class OfChanges extends RedisChangesContract {
        @Override
        protected RedisStore open(RedisStoreOptions options) {
            return RedisStore.using(client, options);
        }
    }
}
