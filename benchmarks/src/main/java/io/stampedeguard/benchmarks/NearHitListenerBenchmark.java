package io.stampedeguard.benchmarks;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.metrics.MicrometerListener;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The cost that metrics add to a hit of {@link NearHitBenchmark}: the difference, in one run, between no listener and a
 * listener that counts for a registry. {@code -p keyType=Long} is enough; {@code -t 2} runs two threads that count at
 * once, and {@code -prof gc} shows the allocations of a hit.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class NearHitListenerBenchmark {
    /** A cache whose near cache contains all keys, with a listener that is notified of each hit. */
    @State(Scope.Benchmark)
    public static class Listened extends NearHitBenchmark.Guarded {
        /** The registry for which hits are counted. */
        @Param({"none", "simple", "prometheus"})
        public String registry = "none";

        @Override
        CacheListener listener() {
            return registry.equals("none") ? super.listener() : new MicrometerListener(meters());
        }

        private MeterRegistry meters() {
            return registry.equals("simple")
                    ? new SimpleMeterRegistry()
                    : new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        }
    }

    /** A hit in the near cache. */
    @Benchmark
    public @Nullable String near(Listened guarded, NearHitBenchmark.Keys keys, NearHitBenchmark.Cursor cursor) {
        return guarded.cache.get(cursor.next(keys), NearHitBenchmark.NO_LOAD);
    }
}
