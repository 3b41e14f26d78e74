package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.members;

import io.stampedeguard.internal.spi.FleetMembers;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.testbed.topology.RedisCluster;
import io.stampedeguard.testkit.AllEntriesContract;
import io.stampedeguard.testkit.FleetMembersContract;
import io.stampedeguard.testkit.LeaseNotificationsContract;
import org.junit.jupiter.api.AutoClose;
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
    private static final RedisCluster cluster = SharedCluster.get();

    @AutoClose
    private static final RedisClusterClient client = Topologies.client(cluster);

    @AutoClose
    private static final RedisStore store = RedisStore.connect(Topologies.uri(cluster), SharedRedis.PATIENT);

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

    @Nested
    class OfAllEntries extends AllEntriesContract {
        @Override
        protected CacheStore store() {
            return store;
        }

        /** Scripts cannot see the generation, which another master has. */
        @Override
        protected boolean endsLeases() {
            return false;
        }
    }
}
