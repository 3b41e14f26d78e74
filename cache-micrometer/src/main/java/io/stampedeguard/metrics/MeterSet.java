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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * The meters of one cache as they are created, so that all can be removed again, even if one of them cannot be created because
 * somebody else has a meter of its name and tags; that one is not touched. Functions refer to a {@code T}, which the registry
 * references weakly; one that was created here before is replaced, because its {@code T} may be gone. <em>Not thread-safe.</em>
 */
final class MeterSet<T> {
    private final Map<Meter.Id, Meter> made = new HashMap<>();
    private final OwnMeters ours;
    private final MeterRegistry registry;
    private final Tags tags;
    private final T state;

    MeterSet(MeterRegistry registry, String cache, T state) {
        this.registry = registry;
        this.tags = Tags.of("cache", cache);
        this.state = state;
        this.ours = OwnMeters.in(registry);
    }

    Counter counter(String name, String description, String... tag) {
        Tags of = tags.and(tag);
        return kept(
                id(name, of, Meter.Type.COUNTER),
                () -> Counter.builder(name).description(description).tags(of).register(registry));
    }

    /** Creates one counter for each value of a tag. */
    <E extends Enum<E>> PerConstant<E, Counter> counters(String name, String description, String tag, E[] values) {
        return new PerConstant<>(values, value -> counter(name, description, tag, TagValues.of(value)));
    }

    /** Creates a counter of values that are counted elsewhere; they are added up only when the meter is read. */
    void counted(String name, String description, ToDoubleFunction<T> count, String... tag) {
        Tags of = tags.and(tag);
        keptAnew(
                id(name, of, Meter.Type.COUNTER),
                () -> FunctionCounter.builder(name, state, count)
                        .description(description)
                        .tags(of)
                        .register(registry));
    }

    void gauge(String name, String description, ToDoubleFunction<T> value) {
        keptAnew(
                id(name, tags, Meter.Type.GAUGE),
                () -> Gauge.builder(name, state, value)
                        .description(description)
                        .tags(tags)
                        .register(registry));
    }

    /** Creates a timer; buckets only with histograms, percentiles never: those of several processes cannot be aggregated. */
    Timer timer(String name, String description, Duration[] buckets, String... tag) {
        Tags of = tags.and(tag);
        return kept(
                id(name, of, Meter.Type.TIMER),
                () -> Timer.builder(name)
                        .description(description)
                        .tags(of)
                        .serviceLevelObjectives(ours.publishesHistograms() ? buckets : null)
                        .register(registry));
    }

    DistributionSummary bytes(String name, String description) {
        return kept(
                id(name, tags, Meter.Type.DISTRIBUTION_SUMMARY),
                () -> DistributionSummary.builder(name)
                        .description(description)
                        .baseUnit("bytes")
                        .tags(tags)
                        .register(registry));
    }

    void remove() {
        made.forEach((id, meter) -> {
            registry.remove(meter);
            ours.remove(id, meter);
        });
        made.clear();
    }

    private static Meter.Id id(String name, Tags of, Meter.Type type) {
        return new Meter.Id(name, of, null, null, type);
    }

    private void keptAnew(Meter.Id id, Supplier<? extends Meter> registered) {
        if (ours.contains(id)) {
            registry.removeByPreFilterId(id);
        }
        kept(id, registered);
    }

    /** Registers a meter. The registry returns an existing meter if there is one with this name and these tags. */
    @SuppressWarnings("ReferenceEquality") // meters of one name and tags are equal even if they are different objects
    private <M extends Meter> M kept(Meter.Id id, Supplier<M> registered) {
        try {
            List<Meter> before = ours.contains(id) ? List.of() : registry.getMeters();
            M meter = registered.get();
            if (before.stream().anyMatch(there -> there == meter) && !ours.contains(meter.getId())) {
                throw new IllegalArgumentException(
                        "a meter with this name and these tags already exists: " + meter.getId());
            }
            made.put(id, meter);
            ours.add(id, meter);
            return meter;
        } catch (RuntimeException | Error e) {
            remove();
            throw e;
        }
    }
}
