package io.stampedeguard.benchmarks;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.measure.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import redis.clients.jedis.RedisClient;

/**
 * Workload W1: a hit in the process through the near cache of a cache on a real Redis, compared with {@code
 * getIfPresent} of a Caffeine cache that is also bounded and expires. The comparable figure is the ratio of the two in
 * one run. {@code -t 2} runs two threads, and {@code -prof gc} shows the allocations of a hit.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class NearHitBenchmark {
    private static final int KEYS = 1_000;
    private static final Duration LONG = Duration.ofDays(1);
    private static final String VALUE = "v".repeat(100);
    static final Loader<Object, String> NO_LOAD = key -> {
        throw new IllegalStateException("not a hit: " + key);
    };

    /** Reads all keys until none of the reads reaches the server. */
    static void requireNear(String redisUri, Runnable readAll) {
        try (RedisClient observer = PlainRedis.connect(redisUri, 1)) {
            for (long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(10); System.nanoTime() < until; ) {
                RedisCommands before = RedisCommands.parse(observer.info("commandstats"));
                readAll.run();
                RedisCommands after = RedisCommands.parse(observer.info("commandstats"));
                if (after.since("mget", before) + after.since("get", before) == 0) {
                    return;
                }
            }
            throw new IllegalStateException("hits still reach Redis: the near cache does not answer");
        }
    }

    /** The keys; each cache contains all of them. */
    @State(Scope.Benchmark)
    public static class Keys {
        /** Their type. */
        @Param({"Long", "String"})
        public String keyType = "Long";

        /** The capacity of all caches, in entries: well filled as in use, or rather empty. */
        @Param("10000")
        public int room = 10_000;

        private Object[] all = {};

        /** Creates the keys, scattered as those of an application. */
        @Setup
        public void make() {
            all = IntStream.range(0, KEYS)
                    .mapToObj(i -> 1_000_003L * i)
                    .map(number -> keyType.equals("Long") ? (Object) number : "product-" + number)
                    .toArray();
        }

        List<String> texts() {
            return Stream.of(all).map(String::valueOf).toList();
        }
    }

    /** The position of a thread; each takes the keys one after the other. */
    @State(Scope.Thread)
    public static class Cursor {
        private int at;

        Object next(Keys keys) {
            return keys.all[next()];
        }

        int next() {
            at = at + 1 == KEYS ? 0 : at + 1;
            return at;
        }
    }

    /** A cache whose near cache contains all keys. */
    @State(Scope.Benchmark)
    public static class Guarded {
        private RedisServer redis;
        private RedisStore store;
        StampedeGuardedCache<Object, String> cache;

        /** Starts a server, fills the cache, and checks that hits do not reach the server. */
        @Setup
        public void start(Keys keys) {
            redis = RedisServer.start();
            store = RedisStore.connect(redis.uri());
            cache = StampedeGuardedCache.<Object, String>builder("near-hits")
                    .store(store)
                    .codec(StringCodec.of())
                    .policy(CachePolicy.builder().softTtl(LONG).build())
                    .nearCache(NearCacheOptions.builder().maximumSize(keys.room).build())
                    .keyEncoder(Object::toString)
                    .listener(listener())
                    .build();
            for (Object key : keys.all) {
                cache.put(key, VALUE);
            }
            requireNear(redis.uri(), () -> {
                for (Object key : keys.all) {
                    cache.get(key, NO_LOAD);
                }
            });
        }

        /** Returns the listener for hits: none by default. */
        CacheListener listener() {
            return new CacheListener() {};
        }

        /** Closes the cache and the server. */
        @TearDown
        public void close() {
            cache.close();
            store.close();
            redis.close();
        }
    }

    /**
     * Caffeine in its usual form. A cache on Redis is set up in the same JVM. So the compiler has seen the same uses of
     * the maps below both, as in an application, and can optimize neither more than the other.
     */
    @State(Scope.Benchmark)
    public static class Caffeines {
        private Cache<Object, String> bounded;

        /** Fills the cache. */
        @Setup
        public void fill(Keys keys, Guarded beside) {
            bounded = Caffeine.newBuilder()
                    .maximumSize(keys.room)
                    .expireAfterWrite(LONG)
                    .build();
            for (Object key : keys.all) {
                bounded.put(key, VALUE);
            }
        }
    }

    /** A hit in the near cache. */
    @Benchmark
    public @Nullable String guardedNear(Guarded guarded, Keys keys, Cursor cursor) {
        return guarded.cache.get(cursor.next(keys), NO_LOAD);
    }

    /** A hit in Caffeine with the limits of the near cache: size and age. */
    @Benchmark
    public @Nullable String caffeine(Caffeines caffeines, Keys keys, Cursor cursor) {
        return caffeines.bounded.getIfPresent(cursor.next(keys));
    }
}
