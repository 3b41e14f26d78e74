package io.stampedeguard.store;

import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.spi.FleetMembers;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.InvalidationEvents;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseNotifications;
import io.stampedeguard.internal.spi.LeaseRequest;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.testkit.AllEntriesContract;
import io.stampedeguard.testkit.FleetMembersContract;
import io.stampedeguard.testkit.InvalidationEventsContract;
import io.stampedeguard.testkit.LeaseNotificationsContract;
import io.stampedeguard.testkit.VirtualTime;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

    /** Neither the change nor the other listener, which began later, notices it, whatever is reported. */
    @Test
    void listenerThatThrowsHarmsNothing() {
        VirtualTime clock = new VirtualTime();
        InMemoryStore store = InMemoryStore.create(clock);
        List<String> told = new ArrayList<>();
        for (InvocationHandler handler : List.<InvocationHandler>of(
                InMemoryStoreTest::fail, (proxy, method, arguments) -> told.add(method.getName()))) {
            store.watch("c:k", listener(LeaseNotifications.Listener.class, handler));
            store.watchChanges("c", List.of(listener(InvalidationEvents.Listener.class, handler)));
        }
        HeldLease lease = new HeldLease("c:k", LeaseToken.next());
        store.lease(
                List.of(new LeaseRequest("c:k", lease.token(), null)), Duration.ofSeconds(1), Duration.ofSeconds(1));

        assertThat(store.end(Map.of(lease, new LeaseEnd.Publish(lease.token().toBytes(), Duration.ofSeconds(9)))))
                .containsEntry(lease, true);
        on(store).put("c:k", new byte[LeaseToken.BYTES], Duration.ofSeconds(9));
        on(store).invalidate("c:k");
        clock.advance(Duration.ofSeconds(1));
        clock.advance(Duration.ofSeconds(1));
        store.restart();

        assertThat(told)
                .containsExactly(
                        "listening",
                        "listening",
                        "onNotice",
                        "onNotice",
                        "changed",
                        "onNotice",
                        "changed",
                        "completeUpTo",
                        "completeUpTo",
                        "disconnected",
                        "listening");
    }

    private static Object fail(Object proxy, Method method, Object[] arguments) {
        throw new AssertionError("thrown by a listener");
    }

    private static <L> L listener(Class<L> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    handler.invoke(proxy, method, arguments);
                    return null;
                }));
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
        private final InMemoryStore store = InMemoryStore.create(hurried());

        @Override
        protected SharedStore store() {
            return store;
        }

        @Override
        protected SharedStore other() {
            return store;
        }
    }

    @Nested
    class OfAllEntries extends AllEntriesContract {
        @Override
        protected CacheStore store() {
            return InMemoryStore.create(new VirtualTime());
        }
    }
}
