package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.members;

import io.stampedeguard.internal.spi.FleetMembers;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.testbed.topology.RedisCluster;
import io.stampedeguard.testkit.FleetMembersContract;
import io.stampedeguard.testkit.LeaseNotificationsContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
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
class ClusterContractTest extends LeaseNotificationsContract {
    private static RedisCluster cluster;
    private static RedisClusterClient client;
    private static RedisStore store;

    @BeforeAll
    static void start() {
        cluster = SharedCluster.get();
        client = Topologies.client(cluster);
        store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER);
    }

    @AfterAll
    static void stop() {
        store.close();
        client.close();
    }

    @Override
    protected CacheStore store() {
        return store;
    }

    @Nested
    class OfMembers extends FleetMembersContract {
        @Override
        protected FleetMembers store() {
            return members(store);
        }
    }

    @Nested
    class OfChanges extends RedisInvalidationEventsContract {
        @Override
        protected RedisStore open(RedisStoreOptions options) {
            return RedisStore.using(client, options);
        }
    }
}
