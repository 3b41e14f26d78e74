package io.stampedeguard.benchmarks;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.testbed.RedisServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import redis.clients.jedis.RedisClient;

/**
 * Workload W2, one thread: a hit on Redis through the cache, compared with a bare {@code GET} of Jedis on the same
 * server. The comparable figure is the ratio of the two in one run.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 7, time = 1)
@Fork(1)
public class RedisHitBenchmark {
    private static final int KEYS = 1_000;
    private static final String VALUE = "v".repeat(100);

    private RedisServer redis;
    private RedisStore store;
    private RedisClient jedis;
    private StampedeGuardedCache<Integer, String> cache;
    private byte[][] bareKeys;
    private int next;

    /** Starts a server and stores each key twice: as an entry, and bare. */
    @Setup
    public void start() {
        redis = RedisServer.start();
        store = RedisStore.connect(redis.uri());
        jedis = RedisClient.create(redis.uri());
        cache = StampedeGuardedCache.<Integer, String>builder("hits")
                .store(store)
                .codec(StringCodec.of())
                .policy(CachePolicy.builder().softTtl(Duration.ofDays(1)).build())
                .build();
        bareKeys = new byte[KEYS][];
        for (int i = 0; i < KEYS; i++) {
            cache.put(i, VALUE);
            bareKeys[i] = ("bare:" + i).getBytes(StandardCharsets.UTF_8);
            jedis.set(bareKeys[i], VALUE.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Closes the cache, the client, and the server. */
    @TearDown
    public void close() {
        cache.close();
        jedis.close();
        store.close();
        redis.close();
    }

    /** A hit through the cache. */
    @Benchmark
    public @Nullable String guarded() {
        return cache.get(next++ % KEYS, key -> {
            throw new IllegalStateException("not a hit: " + key);
        });
    }

    /** A bare read of the same value without an envelope. */
    @Benchmark
    public String jedis() {
        return new String(jedis.get(bareKeys[next++ % KEYS]), StandardCharsets.UTF_8);
    }
}
