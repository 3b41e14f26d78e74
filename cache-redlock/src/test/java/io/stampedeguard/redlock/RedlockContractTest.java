package io.stampedeguard.redlock;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.internal.spi.FleetMembers;
import io.stampedeguard.redis.PatientTime;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.testkit.AllEntriesContract;
import io.stampedeguard.testkit.FleetMembersContract;
import io.stampedeguard.testkit.InvalidationEventsContract;
import io.stampedeguard.testkit.LeaseNotificationsContract;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

@Tag("topology")
class RedlockContractTest extends LeaseNotificationsContract {
    @AutoClose
    private static final LockServerProcesses SERVERS = new LockServerProcesses(3);

    private static final RedlockStore STORE =
            SERVERS.leases(SERVERS.plain(""), new PatientTime(Duration.ZERO), Duration.ofSeconds(30));

    @Override
    protected CacheStore store() {
        return STORE;
    }

    @Nested
    class OfMembers extends FleetMembersContract {
        @Override
        protected FleetMembers store() {
            return requireNonNull(STORE.shared().ability(FleetMembers.class));
        }
    }

    @Nested
    class OfChanges extends InvalidationEventsContract {
        private static final RedlockStore FIRST = SERVERS.leases();
        private static final RedlockStore SECOND = SERVERS.leases();

        @Override
        protected CacheStore store() {
            return FIRST;
        }

        @Override
        protected CacheStore other() {
            return SECOND;
        }
    }

    @Nested
    class OfAllEntries extends AllEntriesContract {
        /** The lock servers do not know of it. */
        @Override
        protected boolean passesLeasesOn() {
            return false;
        }

        @Override
        protected CacheStore store() {
            return STORE;
        }
    }
}
