package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.ProxiedStore.pass;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.BreakerState;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.spi.BreakerEvents;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testkit.FaultyStore;
import io.stampedeguard.testkit.FaultyStore.Call;
import io.stampedeguard.testkit.OpenGauges;
import io.stampedeguard.testkit.ProxiedStore;
import io.stampedeguard.testkit.RecordingListener;
import io.stampedeguard.testkit.VirtualTime;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What a cache makes of the circuit breaker of its store. */
final class CircuitBreakerEventsTest {
    private final VirtualTime time = new VirtualTime();
    private final Breaker breaker = new Breaker();
    private final FaultyStore behind = FaultyStore.create(time);
    private final FaultyStore store = FaultyStore.over(breakingStore(), time);
    private final RecordingListener listener = new RecordingListener();
    private final OpenGauges gauges = new OpenGauges();

    /** A circuit breaker whose state the test sets. */
    private static final class Breaker implements BreakerEvents {
        private final List<Consumer<BreakerState>> listeners = new CopyOnWriteArrayList<>();
        private volatile BreakerState state = BreakerState.CLOSED;
        private volatile boolean sendsRegardless;

        void turn(BreakerState next) {
            state = next;
            listeners.forEach(each -> each.accept(next));
        }

        @Override
        public BreakerState breaker() {
            return state;
        }

        @Override
        public Watch watchBreaker(Consumer<BreakerState> heard) {
            listeners.add(heard);
            return () -> listeners.remove(heard);
        }

        @Override
        public void sendRegardless(Runnable requests) {
            sendsRegardless = true;
            requests.run();
            sendsRegardless = false;
        }

        void check() {
            if (state == BreakerState.OPEN && !sendsRegardless) {
                throw new StoreException("the circuit breaker is open");
            }
        }
    }

    private SharedStore breakingStore() {
        return ProxiedStore.of((method, arguments) -> {
            boolean isAbility = method.getName().equals("ability");
            if (isAbility && arguments[0] == BreakerEvents.class) {
                return breaker;
            }
            if (!isAbility && !method.getName().equals("patience")) { // these send nothing
                breaker.check();
            }
            return pass(behind.shared(), method, arguments);
        });
    }

    private StampedeGuardedCache<String, String> cache(CacheStore on) {
        return textCache("products", on)
                .timeSource(time)
                .listener(listener)
                .listener(gauges)
                .build();
    }

    @Test
    void eachChangeOfStateIsAnEventAndInTheGauge() {
        try (StampedeGuardedCache<String, String> cache = cache(store)) {
            assertThat(gauges.get(0).breaker()).isEqualTo(BreakerState.CLOSED);
            breaker.turn(BreakerState.OPEN);
            breaker.turn(BreakerState.HALF_OPEN);
            assertThat(gauges.get(0).breaker()).isEqualTo(BreakerState.HALF_OPEN);
            breaker.turn(BreakerState.CLOSED);
            assertThat(cache.faults(FaultSource.LISTENER)).isZero();
        }
        assertThat(listener.events(BreakerState.class))
                .containsExactly(BreakerState.OPEN, BreakerState.HALF_OPEN, BreakerState.CLOSED);
    }

    @Test
    void closedCacheIsToldNothingMore() {
        cache(store).close();
        assertThat(breaker.listeners).isEmpty();
    }

    @Test
    void storeWithoutACircuitBreakerCountsAsClosed() {
        try (StampedeGuardedCache<String, String> cache = cache(behind)) {
            assertThat(cache.getIfPresent("k")).isNull();
            assertThat(gauges.get(0).breaker()).isEqualTo(BreakerState.CLOSED);
        }
        assertThat(listener.events(BreakerState.class)).isEmpty();
    }

    /** No time passes, so it is not the retry of the queue. */
    @Test
    void queuedChangesAreReplayedWhenTheCircuitBreakerCloses() {
        try (StampedeGuardedCache<String, String> cache = cache(store)) {
            store.beginOutage();
            breaker.turn(BreakerState.OPEN);
            cache.invalidate("a");
            cache.invalidate("b");
            assertThat(gauges.get(0).queuedChanges()).isEqualTo(2);

            store.endOutage();
            breaker.turn(BreakerState.HALF_OPEN);
            breaker.turn(BreakerState.CLOSED);

            until(() -> gauges.get(0).queuedChanges() == 0);
            assertThat(store.requests(Call.INVALIDATE)).isEqualTo(4);
        }
    }

    @Test
    void closeSendsQueuedChangesOnceMoreThoughItIsOpen() {
        StampedeGuardedCache<String, String> cache = cache(store);
        breaker.turn(BreakerState.OPEN);
        cache.invalidate("a");
        cache.invalidate("b");
        assertThat(behind.requests(Call.INVALIDATE)).isZero();

        cache.close();

        assertThat(behind.requests(Call.INVALIDATE)).isEqualTo(2);
        assertThat(gauges.get(0).queuedChanges()).isZero();
    }
}
