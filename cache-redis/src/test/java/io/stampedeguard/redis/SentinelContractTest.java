package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.members;

import io.stampedeguard.internal.spi.FleetMembers;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.testbed.topology.RedisSentinels;
import io.stampedeguard.testkit.AllEntriesContract;
import io.stampedeguard.testkit.FleetMembersContract;
import io.stampedeguard.testkit.LeaseNotificationsContract;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import redis.clients.jedis.RedisSentinelClient;

/** Sentinels name the master. */
@Tag("topology")
class SentinelContractTest extends LeaseNotificationsContract {
    @AutoClose
    private static final RedisSentinels sentinels = RedisSentinels.startWithoutFailover();

    @AutoClose
    private static final RedisSentinelClient client = Topologies.client(sentinels);

    @AutoClose
    private static final RedisStore store = RedisStore.connect(Topologies.uri(sentinels), SharedRedis.PATIENT);

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

    @Nested
    class OfAllEntries extends AllEntriesContract {
        @Override
        protected CacheStore store() {
            return store;
        }
    }

    @Nested
    class OfMembers extends FleetMembersContract {
        @Override
        protected FleetMembers store() {
            return members(store);
        }
    }
}
