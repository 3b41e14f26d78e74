package io.stampedeguard.benchmarks;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.store.InMemoryStore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A hit on a store in memory: the cost of the cache itself (key text, envelope, checksum, codec, events), without a
 * network. {@code -prof gc} shows its allocations.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 7, time = 1)
@Fork(1)
public class CoreHitBenchmark {
    private StampedeGuardedCache<Long, String> cache;

    /** Stores the value. */
    @Setup
    public void start() {
        cache = StampedeGuardedCache.<Long, String>builder("hits")
                .store(InMemoryStore.create())
                .codec(StringCodec.of())
                .build();
        cache.put(42L, "v".repeat(100));
    }

    /** A hit. */
    @Benchmark
    public @Nullable String guarded() {
        return cache.get(42L, key -> null);
    }
}
