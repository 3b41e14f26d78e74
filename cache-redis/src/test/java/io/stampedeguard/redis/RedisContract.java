package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.members;

import io.stampedeguard.internal.spi.FleetMembers;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.testkit.AllEntriesContract;
import io.stampedeguard.testkit.FleetMembersContract;
import io.stampedeguard.testkit.LeaseNotificationsContract;
import org.junit.jupiter.api.Nested;

/** All contracts of a store, on one topology of Redis. */
abstract class RedisContract extends LeaseNotificationsContract {
    @Override
    protected abstract RedisStore store();

    /** Opens a further store on the same Redis. */
    abstract RedisStore open(RedisStoreOptions options);

    /** Returns whether a change of all entries ends the leases of before. */
    boolean endsLeases() {
        return true;
    }

    @Nested
    class OfMembers extends FleetMembersContract {
        @Override
        protected FleetMembers store() {
            return members(RedisContract.this.store());
        }
    }

    @Nested
    class OfChanges extends RedisInvalidationEventsContract {
        @Override
        protected RedisStore open(RedisStoreOptions options) {
            return RedisContract.this.open(options);
        }
    }

    @Nested
    class OfAllEntries extends AllEntriesContract {
        @Override
        protected CacheStore store() {
            return RedisContract.this.store();
        }

        @Override
        protected boolean endsLeases() {
            return RedisContract.this.endsLeases();
        }
    }
}
