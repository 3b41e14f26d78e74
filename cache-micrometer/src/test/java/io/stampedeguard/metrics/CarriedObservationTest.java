package io.stampedeguard.metrics;

import static io.stampedeguard.testkit.TextCaches.textCache;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.context.ContextSnapshotFactory;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testkit.Callers;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** With Micrometer's context propagation, a load on another thread belongs to the observation of its caller. */
final class CarriedObservationTest {
    private final TestObservationRegistry observations = TestObservationRegistry.create();
    private final ContextSnapshotFactory snapshots =
            ContextSnapshotFactory.builder().build();

    @AutoClose
    private final StampedeGuardedCache<String, String> cache = textCache("carried", InMemoryStore.create())
            .listener(MicrometerListener.builder(new SimpleMeterRegistry())
                    .observations(observations)
                    .build())
            .contextCarrier(() -> snapshots.captureAll()::wrap)
            .build();

    @Test
    void loadOfAnAsynchronousCallIsAChildOfItsCallersObservation() throws Exception {
        Observation request = Observation.start("http.request", observations);
        CompletableFuture<String> future =
                request.scoped(() -> cache.getAsync("k", key -> CompletableFuture.completedFuture(query())));

        assertThat(Callers.result(future)).isEqualTo("one");

        request.stop();
        assertIsChild("cache.stampede.load", "http.request");
        assertIsChild("jdbc.query", "cache.stampede.load");
    }

    private String query() {
        Observation query = Observation.start("jdbc.query", observations);
        query.stop();
        return "one";
    }

    private void assertIsChild(String name, String parentName) {
        TestObservationRegistryAssert.assertThat(observations)
                .hasObservationWithNameEqualTo(name)
                .that()
                .hasParentObservationContextMatching(parent -> parent.getName().equals(parentName));
    }
}
