package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.members;

import io.stampedeguard.internal.spi.FleetMembers;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.testkit.AllEntriesContract;
import io.stampedeguard.testkit.FleetMembersContract;
import io.stampedeguard.testkit.LeaseNotificationsContract;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Nested;

class RedisStoreContractTest extends LeaseNotificationsContract {
    @AutoClose
    private static final RedisStore STORE = RedisStore.connect(SharedRedis.uri(), SharedRedis.PATIENT);

    @Override
    protected CacheStore store() {
        return STORE;
    }

    @Nested
    class OfMembers extends FleetMembersContract {
        @Override
        protected FleetMembers store() {
            return members(STORE);
        }
    }

    @Nested
    class OfChanges extends RedisInvalidationEventsContract {
        @Override
        protected RedisStore open(RedisStoreOptions options) {
            return RedisStore.connect(SharedRedis.uri(), options);
        }
    }

    @Nested
    class OfAllEntries extends AllEntriesContract {
        @Override
        protected CacheStore store() {
            return STORE;
        }
    }
}
