package io.stampedeguard.benchmarks;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.loader.BulkLoader;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
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
 * A batch of 100 keys that are all in Redis, with values of 100 bytes: {@code getAll} without a near cache, compared
 * with a bare {@code MGET} of Jedis on the same server. The comparable figure is the ratio of the two in one run.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 7, time = 1)
@Fork(1)
public class GetAllBenchmark {
    private static final int BATCHES = 10;
    private static final int KEYS = 100;
    private static final String VALUE = "v".repeat(100);
    private static final BulkLoader<String, String> NO_LOAD = keys -> {
        throw new IllegalStateException("not hits: " + keys);
    };

    private RedisServer redis;
    private RedisStore store;
    private RedisClient jedis;
    private StampedeGuardedCache<String, String> cache;
    private List<List<String>> batches;
    private String[][] bareBatches;
    private byte[][][] entries;
    private int next;

    /** Starts a server and stores each key twice: as an entry, and bare. */
    @Setup
    public void start() {
        redis = RedisServer.start();
        store = RedisStore.connect(redis.uri());
        jedis = PlainRedis.connect(redis.uri(), 1);
        cache = StampedeGuardedCache.<String, String>builder("batches")
                .store(store)
                .codec(StringCodec.of())
                .policy(CachePolicy.builder().softTtl(Duration.ofDays(1)).build())
                .build();
        batches = IntStream.range(0, BATCHES).mapToObj(GetAllBenchmark::batch).toList();
        bareBatches = batches.stream()
                .map(batch -> batch.stream().map(key -> "bare:" + key).toArray(String[]::new))
                .toArray(String[][]::new);
        entries = batches.stream()
                .map(batch -> batch.stream()
                        .map(key -> ("{batches:" + key + "}").getBytes(StandardCharsets.US_ASCII))
                        .toArray(byte[][]::new))
                .toArray(byte[][][]::new);
        for (int i = 0; i < BATCHES; i++) {
            batches.get(i).forEach(key -> cache.put(key, VALUE));
            for (String key : bareBatches[i]) {
                jedis.set(key, VALUE);
            }
        }
    }

    private static List<String> batch(int number) {
        return IntStream.range(0, KEYS)
                .mapToObj(i -> "product-" + (number * KEYS + i))
                .toList();
    }

    /** Closes the cache, the client, and the server. */
    @TearDown
    public void close() {
        cache.close();
        jedis.close();
        store.close();
        redis.close();
    }

    /** A batch of hits through the cache. */
    @Benchmark
    public Map<String, String> guarded() {
        return cache.getAll(batches.get(next++ % BATCHES), NO_LOAD);
    }

    /** A bare fetch of the cache's own entries, 50 bytes longer than their values: the rest is the cache's own work. */
    @Benchmark
    public List<byte[]> entries() {
        return jedis.mget(entries[next++ % BATCHES]);
    }

    /** A bare fetch of the same values without an envelope. */
    @Benchmark
    public List<String> jedis() {
        return jedis.mget(bareBatches[next++ % BATCHES]);
    }
}
