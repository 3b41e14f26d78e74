package io.stampedeguard.redis;

import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testbed.topology.RedisCluster;
import io.stampedeguard.testkit.LeaseContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import redis.clients.jedis.RedisClusterClient;

/** Leases are renewed on three masters at once. */
class ClusterLeaseTest extends LeaseContract {
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

    @Override
    protected SharedStore store() {
        return RedisStore.using(client);
    }

    @Override
    protected void pass(Duration length) throws InterruptedException {
        Thread.sleep(length.toMillis());
    }
}
