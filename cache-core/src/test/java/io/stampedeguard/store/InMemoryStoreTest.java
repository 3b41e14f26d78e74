package io.stampedeguard.store;

import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.spi.FleetMembers;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.testkit.FleetMembersContract;
import io.stampedeguard.testkit.InvalidationEventsContract;
import io.stampedeguard.testkit.LeaseNotificationsContract;
import io.stampedeguard.testkit.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The reference store fulfills the contract, on a virtual clock. */
final class InMemoryStoreTest extends LeaseNotificationsContract {
    private VirtualTime time;

    @Override
    protected SharedStore store() {
        time = new VirtualTime();
        return InMemoryStore.create(time);
    }

    @Override
    protected void pass(Duration length) {
        time.advance(length);
    }

    @Test
    void deadEntriesDoNotPileUp() {
        VirtualTime clock = new VirtualTime();
        InMemoryStore store = InMemoryStore.create(clock);
        for (int i = 0; i < 100_000; i++) {
            on(store).put("k" + i, new byte[LeaseToken.BYTES], Duration.ofMillis(10));
            clock.advance(Duration.ofMillis(1));
        }
        assertThat(store.size()).isLessThan(2_000);
    }

    @Nested
    class OfMembers extends FleetMembersContract {
        private final VirtualTime clock = new VirtualTime();
        private final InMemoryStore store = InMemoryStore.create(clock);

        @Override
        protected FleetMembers store() {
            return store;
        }

        @Override
        protected void pass(Duration length) {
            clock.advance(length);
        }
    }

    @Nested
    class OfChanges extends InvalidationEventsContract {
        private final InMemoryStore store = InMemoryStore.create();

        @Override
        protected SharedStore store() {
            return store;
        }

        @Override
        protected SharedStore other() {
            return store;
        }
    }
}
