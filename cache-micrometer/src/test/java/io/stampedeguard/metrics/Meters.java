package io.stampedeguard.metrics;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Statistic;
import io.micrometer.core.instrument.Tag;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** The meters of a cache in a registry, as text: {@code cache.stampede.gets result=hit} and the number. */
final class Meters {
    private Meters() {}

    /** All that are not zero. */
    static Map<String, Double> moved(MeterRegistry registry, String cache) {
        Map<String, Double> moved = all(registry, cache);
        moved.values().removeIf(value -> value == 0);
        return moved;
    }

    /** Counts of counters, timers, and summaries, and values of gauges; without the buckets, which are gauges as well. */
    static Map<String, Double> all(MeterRegistry registry, String cache) {
        return registry.getMeters().stream()
                .filter(meter -> cache.equals(meter.getId().getTag("cache")))
                .filter(meter -> meter.getId().getTag("le") == null)
                .collect(Collectors.toMap(Meters::text, Meters::value, (a, b) -> Double.NaN, TreeMap::new));
    }

    private static String text(Meter meter) {
        return meter.getId().getTags().stream()
                .filter(tag -> !tag.getKey().equals("cache"))
                .map(Meters::text)
                .collect(Collectors.joining("", meter.getId().getName(), ""));
    }

    private static String text(Tag tag) {
        return " " + tag.getKey() + "=" + tag.getValue();
    }

    private static double value(Meter meter) {
        return StreamSupport.stream(meter.measure().spliterator(), false)
                .filter(one -> one.getStatistic() == Statistic.COUNT || one.getStatistic() == Statistic.VALUE)
                .findFirst()
                .orElseThrow()
                .getValue();
    }
}
