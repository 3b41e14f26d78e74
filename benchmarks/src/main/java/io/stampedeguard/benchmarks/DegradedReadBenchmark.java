package io.stampedeguard.benchmarks;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.CacheListener;
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
 * What an answer costs while Redis is dead and the near cache has the key, as in the workload W10; {@link
 * NearHitBenchmark#guardedNear} is the same while Redis runs.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class DegradedReadBenchmark {
    /** A cache whose near cache contains all keys, and whose Redis is dead. */
    @State(Scope.Benchmark)
    public static class WithoutRedis extends NearHitBenchmark.Guarded {
        private volatile @Nullable AnswerSource last;

        @Override
        @Setup
        public void start(NearHitBenchmark.Keys keys) {
            super.start(keys);
            redis.close();
            long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (last != AnswerSource.NEAR_DEGRADED) {
                if (System.nanoTime() - until > 0) {
                    throw new IllegalStateException("the near cache still takes its copies for current: " + last);
                }
                cache.get(keys.first(), NearHitBenchmark.NO_LOAD);
            }
        }

        @Override
        CacheListener listener() {
            return new CacheListener() {
                @Override
                public void onRead(String name, AnswerSource source) {
                    if (source != last) {
                        last = source;
                    }
                }
            };
        }
    }

    /** An answer by the near cache while Redis is dead. */
    @Benchmark
    public @Nullable String degraded(WithoutRedis guarded, NearHitBenchmark.Keys keys, NearHitBenchmark.Cursor cursor) {
        return guarded.cache.get(cursor.next(keys), NearHitBenchmark.NO_LOAD);
    }
}
