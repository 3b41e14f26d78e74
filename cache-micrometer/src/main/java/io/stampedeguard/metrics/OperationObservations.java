package io.stampedeguard.metrics;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.stampedeguard.event.Operation;
import io.stampedeguard.event.OperationScope;
import org.jspecify.annotations.Nullable;

/**
 * Operations as observations of Micrometer. Each is current on its thread while it lasts, so that observations created inside a
 * loader, for example of a query, become children of the load. <em>Thread-safe.</em>
 */
final class OperationObservations {
    private final ObservationRegistry registry;

    OperationObservations(ObservationRegistry registry) {
        this.registry = registry;
    }

    /** Begins an operation, together with another scope of it. */
    OperationScope begin(String cache, Operation operation, OperationScope inner) {
        return registry.isNoop() ? inner : new Observed(of(cache, operation), inner);
    }

    private Observation of(String cache, Operation operation) {
        Observation observation = Observation.createNotStarted(name(operation), registry)
                .contextualName(TagValues.of(operation) + " " + cache)
                .lowCardinalityKeyValue("cache", cache);
        return operation.isOfStore()
                ? observation.lowCardinalityKeyValue("command", TagValues.of(operation))
                : observation;
    }

    private static String name(Operation operation) {
        return "cache.stampede." + (operation.isOfStore() ? "store" : TagValues.of(operation));
    }

    /**
     * A running operation. Handlers of the application may throw: then, too, the observation ends and the thread's previous
     * observation becomes current again, which Micrometer's scope does not guarantee.
     */
    private final class Observed implements OperationScope {
        private final Observation.@Nullable Scope before = registry.getCurrentObservationScope();
        private final Observation observation;
        private final Observation.Scope scope;
        private final OperationScope inner;

        Observed(Observation begun, OperationScope inner) {
            this.inner = inner;
            this.observation = begun.start();
            this.scope = opened();
        }

        private Observation.Scope opened() {
            boolean open = false;
            try {
                Observation.Scope current = observation.openScope();
                open = true;
                return current;
            } finally {
                if (!open) {
                    leave();
                }
            }
        }

        @Override
        public void end(@Nullable Throwable failure) {
            try {
                inner.end(failure);
                if (failure != null) {
                    observation.error(failure);
                }
            } finally {
                closeScope();
            }
        }

        private void closeScope() {
            try {
                scope.close();
            } finally {
                leave();
            }
        }

        private void leave() {
            registry.setCurrentObservationScope(before);
            observation.stop();
        }
    }
}
