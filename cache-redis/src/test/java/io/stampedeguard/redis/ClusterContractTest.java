package io.stampedeguard.redis;

import io.stampedeguard.testbed.topology.RedisCluster;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import redis.clients.jedis.RedisClusterClient;

/**
 * A cluster refuses a script whose keys are in different slots, and has its keys on three masters, each of which sends
 * notifications for its own.
 */
@Tag("topology")
@ResourceLock(value = SharedCluster.LOCK, mode = ResourceAccessMode.READ)
class ClusterContractTest extends RedisContract {
    private static final RedisCluster cluster = SharedCluster.get();

    @AutoClose
    private static final RedisClusterClient client = Topologies.client(cluster);

    @AutoClose
    private static final RedisStore store = RedisStore.connect(Topologies.uri(cluster), SharedRedis.PATIENT);

    @Override
    protected RedisStore store() {
        return store;
    }

    @Override
    RedisStore open(RedisStoreOptions options) {
        return RedisStore.using(client, options);
    }

    /** Scripts cannot see the generation, which another master has. */
    @Override
    boolean endsLeases() {
        return false;
    }
}
