package io.stampedeguard.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import io.stampedeguard.event.Operation;
import io.stampedeguard.event.OperationScope;
import org.junit.jupiter.api.Test;

/**
 * Each operation is one observation, current while it runs. The test registry rejects observations that end out of
 * order.
 */
final class OperationObservationsTest {
    private final MeterRegistry meters = new SimpleMeterRegistry();
    private final TestObservationRegistry observations = TestObservationRegistry.create();
    private final MicrometerListener listener =
            MicrometerListener.builder(meters).observations(observations).build();

    @Test
    void loadIsAnObservationThatNamesItsCacheAndNothingElse() {
        listener.onOperation("products", Operation.LOAD).end(null);

        assertSeen()
                .hasSingleObservationThat()
                .hasNameEqualTo("cache.stampede.load")
                .hasContextualNameEqualTo("load products")
                .hasLowCardinalityKeyValue("cache", "products")
                .doesNotHaveLowCardinalityKeyValueWithKey("command")
                .hasBeenStarted()
                .hasBeenStopped()
                .doesNotHaveError();
    }

    @Test
    void callOfTheStoreIsAnObservationThatNamesItsCommand() {
        listener.onOperation("products", Operation.READ_ALL).end(null);

        assertSeen()
                .hasSingleObservationThat()
                .hasNameEqualTo("cache.stampede.store")
                .hasLowCardinalityKeyValue("cache", "products")
                .hasLowCardinalityKeyValue("command", "read_all")
                .hasBeenStopped();
    }

    @Test
    void callOfTheStoreIsTimedAsWell() {
        listener.onOperation("products", Operation.READ_ALL).end(null);

        assertThat(Meters.all(meters, "products"))
                .containsEntry("cache.stampede.store.calls command=read_all outcome=answered", 1.0);
    }

    @Test
    void failureIsTheErrorOfTheObservation() {
        IllegalStateException failure = new IllegalStateException("no such table");

        listener.onOperation("products", Operation.LOAD).end(failure);

        assertSeen().hasSingleObservationThat().hasBeenStopped().hasError(failure);
    }

    @Test
    void whatALoaderDoesOfItsOwnIsWithinTheLoad() {
        OperationScope load = listener.onOperation("products", Operation.LOAD);
        Observation query = Observation.start("jdbc.query", observations);
        query.stop();
        load.end(null);

        assertSeen()
                .hasObservationWithNameEqualTo("jdbc.query")
                .that()
                .hasParentObservationContextMatching(parent -> parent.getName().equals("cache.stampede.load"));
    }

    @Test
    void callOfTheStoreIsWithinTheWaitItServes() {
        OperationScope wait = listener.onOperation("products", Operation.WAIT);
        OperationScope lease = listener.onOperation("products", Operation.LEASE);
        lease.end(null);
        wait.end(null);

        assertSeen()
                .hasObservationWithNameEqualTo("cache.stampede.store")
                .that()
                .hasParentObservationContextMatching(parent -> parent.getName().equals("cache.stampede.wait"));
    }

    @Test
    void afterAStepTheThreadHasTheObservationItHadBefore() {
        Observation request = Observation.start("http.request", observations);
        try (Observation.Scope scope = request.openScope()) {
            OperationScope outer = listener.onOperation("products", Operation.WAIT);
            OperationScope inner = listener.onOperation("products", Operation.READ);
            inner.end(new IllegalStateException("no answer"));
            outer.end(null);

            assertThat(observations.getCurrentObservation()).isSameAs(request);
            assertThat(observations.getCurrentObservationScope()).isSameAs(scope);
        }
        request.stop();

        assertThat(observations.getCurrentObservation()).isNull();
        assertThat(observations.getCurrentObservationScope()).isNull();
    }

    @Test
    void handlerThrowingAtStepEndLeavesNoObservationOnTheThread() {
        OperationScope step = listenerWith(new ThrowsOnClose()).onOperation("products", Operation.READ);

        assertThatThrownBy(() -> step.end(null)).hasMessage("handler");

        assertThat(observations.getCurrentObservation()).isNull();
        assertThat(Meters.all(meters, "products"))
                .containsEntry("cache.stampede.store.calls command=read outcome=answered", 1.0);
        assertSeen().hasSingleObservationThat().hasBeenStopped();
    }

    @Test
    void handlerThrowingAtStepStartLeavesNoObservationOnTheThread() {
        MicrometerListener fragile = listenerWith(new ThrowsOnOpen());

        assertThatThrownBy(() -> fragile.onOperation("products", Operation.READ))
                .hasMessage("handler");

        assertThat(observations.getCurrentObservation()).isNull();
        assertSeen().hasSingleObservationThat().hasBeenStopped();
    }

    private MicrometerListener listenerWith(ObservationHandler<Observation.Context> handler) {
        observations.observationConfig().observationHandler(handler);
        return listener;
    }

    @Test
    void withoutAnObservationRegistryALoadCostsNothing() {
        assertThat(new MicrometerListener(meters).onOperation("products", Operation.LOAD))
                .isSameAs(OperationScope.NONE);
        assertThat(MicrometerListener.builder(meters)
                        .observations(ObservationRegistry.NOOP)
                        .build()
                        .onOperation("products", Operation.LOAD))
                .isSameAs(OperationScope.NONE);
    }

    private TestObservationRegistryAssert assertSeen() {
        return TestObservationRegistryAssert.assertThat(observations);
    }

    /** A handler of an application, which ends out of order. */
    private static final class ThrowsOnOpen implements ObservationHandler<Observation.Context> {
        @Override
        public void onScopeOpened(Observation.Context context) {
            throw new IllegalStateException("handler");
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }
    }

    /** Another one. */
    private static final class ThrowsOnClose implements ObservationHandler<Observation.Context> {
        @Override
        public void onScopeClosed(Observation.Context context) {
            throw new IllegalStateException("handler");
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }
    }
}
