package io.stampedeguard.metrics;

import static io.stampedeguard.testkit.TextCaches.textCache;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.VirtualTime;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** A real cache with real registries: what it counts, and which observations it produces. */
final class MeteredCacheTest {
    private final VirtualTime time = new VirtualTime();
    private final InMemoryStore store = InMemoryStore.create(time);
    private final MeterRegistry meters = new SimpleMeterRegistry();
    private final TestObservationRegistry observations = TestObservationRegistry.create();

    @AutoClose
    private final StampedeGuardedCache<String, String> cache =
            cache(MicrometerListener.builder(meters).observations(observations).build());

    private StampedeGuardedCache<String, String> cache(MicrometerListener listener) {
        return textCache("products", store)
                .nearCache(NearCacheOptions.builder().maximumSize(100).build())
                .listener(listener)
                .timeSource(time)
                .build();
    }

    @Test
    void cacheShowsItsMetersBeforeItIsAsked() {
        assertThat(Meters.all(meters, "products")).containsOnlyKeys(MeterTable.meters());
        assertThat(Meters.all(meters, "products")).containsEntry("cache.stampede.loads.permits", 32.0);
    }

    @Test
    void missIsOneLoadAndWhatFollowsIsSaved() {
        for (int i = 0; i < 5; i++) {
            cache.get("lamp", key -> "value");
        }

        assertThat(Meters.all(meters, "products"))
                .containsEntry("cache.stampede.gets result=miss", 1.0)
                .containsEntry("cache.stampede.gets result=hit", 4.0)
                .containsEntry("cache.stampede.lookups answer=loaded", 1.0)
                .containsEntry("cache.stampede.loads outcome=stored", 1.0)
                .containsEntry("cache.stampede.loads.saved", 4.0)
                .containsEntry("cache.stampede.leases outcome=granted", 1.0)
                .containsEntry("cache.stampede.puts", 1.0);
        assertThat(meters.get("cache.stampede.payload").summary().totalAmount()).isEqualTo(5);
    }

    @Test
    void closedCacheLeavesNothingInTheRegistry() {
        cache.get("lamp", key -> "value");

        cache.close();

        assertThat(meters.getMeters()).isEmpty();
    }

    @Test
    void loaderQueryIsAChildAndLeavesNothingOnTheThread() {
        cache.get("lamp", key -> {
            Observation.start("jdbc.query", observations).stop();
            return "value";
        });

        TestObservationRegistryAssert.assertThat(observations)
                .hasObservationWithNameEqualTo("jdbc.query")
                .that()
                .hasParentObservationContextMatching(parent -> Objects.equals(parent.getName(), "cache.stampede.load"));
        assertEnded();
    }

    @Test
    void twoListenersLeaveNoObservationOnTheThread() {
        TestObservationRegistry others = TestObservationRegistry.create();
        try (StampedeGuardedCache<String, String> told = textCache("twice", store)
                .listener(MicrometerListener.builder(meters)
                        .observations(observations)
                        .build())
                .listener(MicrometerListener.builder(new SimpleMeterRegistry())
                        .observations(others)
                        .build())
                .build()) {
            told.get("lamp", key -> "value");

            assertEnded();
            assertThat(others.getCurrentObservation()).isNull();
            TestObservationRegistryAssert.assertThat(others).hasObservationWithNameEqualTo("cache.stampede.load");
        }
    }

    @Test
    void failedLoadIsAnErrorOfItsObservation() {
        IllegalStateException failure = new IllegalStateException("no such table");

        assertThatThrownBy(() -> cache.get("lamp", key -> {
                    throw failure;
                }))
                .isInstanceOf(LoadException.class);

        TestObservationRegistryAssert.assertThat(observations)
                .hasObservationWithNameEqualTo("cache.stampede.load")
                .that()
                .hasError(failure);
        assertEnded();
    }

    @Test
    void whoWaitsForAnotherProcessIsSeenToWaitAndIsWoken() throws Exception {
        CountDownLatch loading = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        try (Callers callers = new Callers();
                StampedeGuardedCache<String, String> other = cache(new MicrometerListener(new SimpleMeterRegistry()))) {
            Callers.Call<String> load = callers.call(() -> other.get("lamp", key -> {
                loading.countDown();
                go.await();
                return "value";
            }));
            loading.await();
            Callers.Call<String> waiter = callers.call(() -> {
                String got = cache.get("lamp", key -> "my own");
                assertEnded();
                return got;
            });
            time.awaitWaiting(1);
            assertThat(Meters.all(meters, "products")).containsEntry("cache.stampede.waiting", 1.0);
            go.countDown();

            assertThat(waiter.result()).isEqualTo("value");
            assertThat(load.result()).isEqualTo("value");
        }

        TestObservationRegistryAssert.assertThat(observations)
                .hasObservationWithNameEqualTo("cache.stampede.wait")
                .that()
                .hasBeenStopped()
                .doesNotHaveError();
        assertThat(Meters.all(meters, "products"))
                .containsEntry("cache.stampede.lookups answer=coalesced", 1.0)
                .containsEntry("cache.stampede.waits outcome=answered", 1.0)
                .containsEntry("cache.stampede.wakeup.lag", 1.0)
                .containsEntry("cache.stampede.waiting", 0.0);
    }

    /** No observation is current on this thread any more. */
    private void assertEnded() {
        TestObservationRegistryAssert.assertThat(observations)
                .doesNotHaveAnyRemainingCurrentObservation()
                .doesNotHaveAnyRemainingCurrentScope()
                .hasObservationWithNameEqualTo("cache.stampede.store")
                .that()
                .hasBeenStopped();
    }
}
