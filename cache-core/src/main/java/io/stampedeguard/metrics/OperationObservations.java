package io.stampedeguard.metrics;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.stampedeguard.event.Operation;
import io.stampedeguard.event.OperationScope;
import org.jspecify.annotations.Nullable;

/**
 * Steps as observations of Micrometer, each current on its thread while it lasts: what a loader does of its own, say a
 * query, becomes a child of the load. <em>Thread-safe.</em>
 */
final class OperationObservations {
    private final ObservationRegistry registry;

    OperationObservations(ObservationRegistry registry) {
        this.registry = registry;
    }

    /** Begins a step around another view of it. */
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
     * A step under way. A handler of the application may throw: then, too, the observation ends, and the thread gets back
     * what was current before, which Micrometer's scope would not see to.
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
