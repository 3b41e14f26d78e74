package io.stampedeguard.metrics;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.stampedeguard.event.Step;
import io.stampedeguard.event.StepScope;
import org.jspecify.annotations.Nullable;

/**
 * Steps as observations of Micrometer, each current on its thread while it lasts: what a loader does of its own, say a
 * query, becomes a child of the load. <em>Thread-safe.</em>
 */
final class StepObservations {
    private final ObservationRegistry registry;

    StepObservations(ObservationRegistry registry) {
        this.registry = registry;
    }

    /** Begins a step around another view of it. */
    StepScope begin(String cache, Step step, StepScope inner) {
        return registry.isNoop() ? inner : new Observed(of(cache, step), inner);
    }

    private Observation of(String cache, Step step) {
        Observation observation = Observation.createNotStarted(name(step), registry)
                .contextualName(TagValues.of(step) + " " + cache)
                .lowCardinalityKeyValue("cache", cache);
        return step.isOfStore() ? observation.lowCardinalityKeyValue("command", TagValues.of(step)) : observation;
    }

    private static String name(Step step) {
        return "cache.stampede." + (step.isOfStore() ? "store" : TagValues.of(step));
    }

    /**
     * A step under way. A handler of the application may throw: then, too, the observation ends, and the thread gets back
     * what was current before, which Micrometer's scope would not see to.
     */
    private final class Observed implements StepScope {
        private final Observation.@Nullable Scope before = registry.getCurrentObservationScope();
        private final Observation observation;
        private final Observation.Scope scope;
        private final StepScope inner;

        Observed(Observation begun, StepScope inner) {
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
