package io.stampedeguard.store;

import static io.stampedeguard.testkit.KeyCalls.members;

import io.stampedeguard.internal.spi.FleetMembers;
import io.stampedeguard.testkit.AllEntriesContract;
import io.stampedeguard.testkit.FaultyStore;
import io.stampedeguard.testkit.FleetMembersContract;
import io.stampedeguard.testkit.InvalidationEventsContract;
import io.stampedeguard.testkit.LeaseNotificationsContract;
import io.stampedeguard.testkit.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Nested;

/** Without faults, the store of users' tests fulfills the contract, on a virtual clock. */
final class FaultyStoreContractTest extends LeaseNotificationsContract {
    private VirtualTime time;

    @Override
    protected CacheStore store() {
        time = new VirtualTime();
        return FaultyStore.create(time);
    }

    @Override
    protected void pass(Duration length) {
        time.advance(length);
    }

    @Nested
    class OfChanges extends InvalidationEventsContract {
        private final FaultyStore store = FaultyStore.create(hurried());

        @Override
        protected CacheStore store() {
            return store;
        }

        @Override
        protected CacheStore other() {
            return store;
        }
    }

    @Nested
    class OfMembers extends FleetMembersContract {
        private final VirtualTime clock = new VirtualTime();
        private final FaultyStore store = FaultyStore.create(clock);

        @Override
        protected FleetMembers store() {
            return members(store);
        }

        @Override
        protected void pass(Duration length) {
            clock.advance(length);
        }
    }

    @Nested
    class OfAllEntries extends AllEntriesContract {
        private final FaultyStore store = FaultyStore.create(new VirtualTime());

        @Override
        protected CacheStore store() {
            return store;
        }
    }
}
