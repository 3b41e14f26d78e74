package io.stampedeguard.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * The meters of one cache as they are made, so that all can be taken away again: also when one of them cannot be made, as a
 * meter of another type has its name and tags. Functions are of {@code T}, which the registry refers to weakly; one that is
 * there already is replaced, as it may be of a {@code T} that is gone. <em>Not thread-safe.</em>
 */
final class MeterSet<T> {
    private final List<Meter> made = new ArrayList<>();
    private final MeterRegistry registry;
    private final Tags tags;
    private final T state;

    MeterSet(MeterRegistry registry, String cache, T state) {
        this.registry = registry;
        this.tags = Tags.of("cache", cache);
        this.state = state;
    }

    Counter counter(String name, String description, String... tag) {
        return kept(() -> Counter.builder(name)
                .description(description)
                .tags(tags.and(tag))
                .register(registry));
    }

    /** One counter for each value of a tag. */
    <E extends Enum<E>> PerConstant<E, Counter> counters(String name, String description, String tag, E[] values) {
        return new PerConstant<>(values, value -> counter(name, description, tag, TagValues.of(value)));
    }

    /** For what is counted elsewhere: summed only when somebody looks. */
    void counted(String name, String description, ToDoubleFunction<T> count, String... tag) {
        removeStale(name, Meter.Type.COUNTER, tags.and(tag));
        kept(() -> FunctionCounter.builder(name, state, count)
                .description(description)
                .tags(tags.and(tag))
                .register(registry));
    }

    void gauge(String name, String description, ToDoubleFunction<T> value) {
        removeStale(name, Meter.Type.GAUGE, tags);
        kept(() -> Gauge.builder(name, state, value)
                .description(description)
                .tags(tags)
                .register(registry));
    }

    /** Without the percentiles of one process, which cannot be summed up over a fleet: buckets can. */
    Timer timer(String name, String description, Duration[] buckets, String... tag) {
        return kept(() -> Timer.builder(name)
                .description(description)
                .tags(tags.and(tag))
                .publishPercentileHistogram(false)
                .serviceLevelObjectives(buckets)
                .register(registry));
    }

    /** One timer for each value of a tag. */
    <E extends Enum<E>> PerConstant<E, Timer> timers(
            String name, String description, Duration[] buckets, String tag, E[] values) {
        return new PerConstant<>(values, value -> timer(name, description, buckets, tag, TagValues.of(value)));
    }

    DistributionSummary bytes(String name, String description) {
        return kept(() -> DistributionSummary.builder(name)
                .description(description)
                .baseUnit("bytes")
                .tags(tags)
                .register(registry));
    }

    void remove() {
        made.forEach(registry::remove);
        made.clear();
    }

    private void removeStale(String name, Meter.Type type, Tags of) {
        registry.removeByPreFilterId(new Meter.Id(name, of, null, null, type));
    }

    private <M extends Meter> M kept(Supplier<M> registered) {
        try {
            M meter = registered.get();
            made.add(meter);
            return meter;
        } catch (RuntimeException e) {
            remove();
            throw e;
        }
    }
}
