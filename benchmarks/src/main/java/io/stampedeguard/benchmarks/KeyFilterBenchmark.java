package io.stampedeguard.benchmarks;

import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnel;
import com.google.common.hash.Funnels;
import io.stampedeguard.filter.bloom.KeyHash;
import io.stampedeguard.filter.bloom.LocalKeyFilter;
import io.stampedeguard.filter.internal.BlockedBloom;
import io.stampedeguard.filter.internal.BloomShape;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A lookup in a filter of the process, compared with Guava's {@code BloomFilter} with as many keys and the same rate.
 * {@code -prof gc} shows that a lookup allocates nothing.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class KeyFilterBenchmark {
    private static final double RATE = 0.01;
    private static final int ASKED =
            1 << 16; // enough to spread over the filter, few enough to stay in the processor's caches

    /** The requested keys, existing and nonexistent ones. */
    @State(Scope.Benchmark)
    public static class Keys {
        /** The number of keys in a filter. */
        @Param({"1000000", "10000000"})
        public int keys = 1_000_000;

        /** Their type. */
        @Param({"Long", "String"})
        public String keyType = "Long";

        /** Whether the requested keys are in the filter. */
        @Param({"true", "false"})
        public boolean present = true;

        private final Object[] asked = new Object[ASKED];

        /** Creates the keys, scattered over the whole range. */
        @Setup
        public void make() {
            for (int i = 0; i < ASKED; i++) {
                long row = ((i * 2_654_435_761L) & Long.MAX_VALUE) % keys;
                asked[i] = key(present ? row : -1 - row);
            }
        }

        private Object key(long number) {
            return keyType.equals("Long") ? (Object) number : "product-" + number;
        }

        private Funnel<?> funnel() {
            return keyType.equals("Long") ? Funnels.longFunnel() : Funnels.unencodedCharsFunnel();
        }

        private Stream<Object> all() {
            return LongStream.range(0, keys).mapToObj(this::key);
        }
    }

    /** The position of a thread; each takes the keys one after the other. */
    @State(Scope.Thread)
    public static class Cursor {
        private int at;

        Object next(Keys keys) {
            at = (at + 1) & (ASKED - 1);
            return keys.asked[at];
        }
    }

    /** The state with the filter of a process. */
    @State(Scope.Benchmark)
    public static class Local {
        private LocalKeyFilter<Object> filter;

        @Setup
        public void fill(Keys keys) {
            filter = LocalKeyFilter.builder("benchmark")
                    .expectedKeys(keys.keys)
                    .falsePositiveRate(RATE)
                    .build();
            filter.rebuild(keys::all);
        }
    }

    /** The state with the bits alone, as in a copy of the filter of a fleet. */
    @State(Scope.Benchmark)
    public static class Bits {
        private final KeyHash<Object> hash = KeyHash.standard();
        private BlockedBloom bits;

        @Setup
        public void fill(Keys keys) {
            bits = new BlockedBloom(BloomShape.of(keys.keys, RATE));
            keys.all().forEach(key -> bits.add(hash.of(key)));
        }
    }

    /** Guava's filter. */
    @State(Scope.Benchmark)
    public static class Guava {
        private BloomFilter<Object> filter;

        @Setup
        @SuppressWarnings("unchecked")
        public void fill(Keys keys) {
            filter = BloomFilter.create((Funnel<Object>) keys.funnel(), keys.keys, RATE);
            keys.all().forEach(filter::put);
        }
    }

    /** A lookup in the filter of a process. */
    @Benchmark
    public boolean local(Local local, Keys keys, Cursor cursor) {
        return local.filter.mightContain(cursor.next(keys));
    }

    /** A lookup in the bits. */
    @Benchmark
    public boolean bits(Bits bits, Keys keys, Cursor cursor) {
        return bits.bits.mightContain(bits.hash.of(cursor.next(keys)));
    }

    /** A lookup in Guava's filter. */
    @Benchmark
    public boolean guava(Guava guava, Keys keys, Cursor cursor) {
        return guava.filter.mightContain(cursor.next(keys));
    }
}
