package io.stampedeguard.metrics;

import static java.util.Objects.requireNonNull;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;

/** A builder of {@link MicrometerListener}. <em>Not thread-safe.</em> */
public final class MicrometerListenerBuilder {
    private final MeterRegistry registry;
    private ObservationRegistry observations = ObservationRegistry.NOOP;
    private boolean histograms;

    MicrometerListenerBuilder(MeterRegistry registry) {
        this.registry = requireNonNull(registry, "registry");
    }

    /**
     * Sets the registry that receives an observation for each load, wait, and call of the store.
     *
     * @param registry by default one that does nothing
     * @return this
     */
    public MicrometerListenerBuilder observations(ObservationRegistry registry) {
        this.observations = requireNonNull(registry, "observations");
        return this;
    }

    /**
     * Sets whether timers publish a histogram, from which percentiles over all processes can be computed. A cache then has
     * about four times as many time series. Histograms apply to all caches of the registry: one listener that asks for them is
     * enough, and it must be built before the first cache.
     *
     * @param published by default {@code false}: timers publish count, sum and maximum
     * @return this
     */
    public MicrometerListenerBuilder histograms(boolean published) {
        this.histograms = published;
        return this;
    }

    /**
     * Builds the listener.
     *
     * @return a new listener
     * @throws IllegalStateException if histograms are requested and the registry already has meters of caches without them
     */
    public MicrometerListener build() {
        RegistryMeters meters = RegistryMeters.of(registry);
        if (histograms) {
            meters.publishHistograms();
        }
        return new MicrometerListener(meters, observations);
    }
}
