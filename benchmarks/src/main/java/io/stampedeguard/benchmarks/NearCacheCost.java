package io.stampedeguard.benchmarks;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.loader.BulkLoader;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.testbed.RedisServer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/**
 * The heap that an entry of a near cache takes besides its key and its value. A cache on a real Redis loads entries until its near
 * cache is full; what is in use after a collection has then grown by that much for each of them. Keys and values exist before, and
 * the near cache refers to the same objects.
 */
public final class NearCacheCost {
    private static final int BATCH = 1_000;
    private static final int COLLECTIONS = 3;
    /** A busy machine ends no lease, and outdates no entry. */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final List<String> NAMES = List.of("shop", "s".repeat(64));
    private static final List<Integer> VALUE_LENGTHS = List.of(10, 100, 1_000);

    private final RedisStore store;
    private final int entries;
    /** The first key that no cache has used yet. */
    private long next = 1_000_000;

    private NearCacheCost(RedisStore store, int entries) {
        this.store = store;
        this.entries = entries;
    }

    /** Runs the measurement, which takes about a minute; the argument is the number of entries, 100,000 if absent. */
    public static void main(String[] arguments) throws IOException {
        int entries = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 100_000;
        try (RedisServer redis = RedisServer.start();
                RedisStore store = RedisStore.builder().commandTimeout(PATIENCE).connect(redis.uri())) {
            NearCacheCost cost = new NearCacheCost(store, entries);
            cost.bytesOfAnEntry(NAMES.get(0), VALUE_LENGTHS.get(0)); // loads classes, opens connections
            for (String name : NAMES) {
                for (int valueLength : VALUE_LENGTHS) {
                    System.out.printf(
                            "Redis key of %3d bytes, value of %,5d characters: %3d bytes%n",
                            "{%s:%d}".formatted(name, cost.next).length(),
                            valueLength,
                            cost.bytesOfAnEntry(name, valueLength));
                }
            }
        }
    }

    private long bytesOfAnEntry(String name, int valueLength) {
        List<Long> keys = LongStream.range(next, next + entries).boxed().toList();
        next += entries;
        Map<Long, String> values = new HashMap<>();
        keys.forEach(key -> values.put(key, "v".repeat(valueLength)));
        long before = heapInUse();
        try (StampedeGuardedCache<Long, String> cache = open(name)) {
            awaitNear(cache, keys.get(0), "v".repeat(valueLength));
            readAll(cache, keys, wanted -> {
                Map<Long, String> loaded = new HashMap<>();
                wanted.forEach(key -> loaded.put(key, values.get(key)));
                return loaded;
            });
            long grown = heapInUse() - before;
            long hits = nearHits(cache);
            readAll(cache, keys, NearCacheCost::refuse);
            if (nearHits(cache) - hits != entries) {
                throw new IllegalStateException("not all entries are in the near cache: " + cache.stats());
            }
            return grown / entries;
        }
    }

    private StampedeGuardedCache<Long, String> open(String name) {
        return StampedeGuardedCache.<Long, String>builder(name)
                .store(store)
                .codec(StringCodec.of())
                .policy(CachePolicy.builder()
                        .softTtl(Duration.ofHours(1))
                        .leaseTtl(PATIENCE)
                        .build())
                .nearCache(NearCacheOptions.builder()
                        .maximumSize(entries)
                        .maxStaleness(PATIENCE)
                        .build())
                .recordStats()
                .build();
    }

    /** A near cache answers from copies that were read since it is notified of changes. */
    private static void awaitNear(StampedeGuardedCache<Long, String> cache, long key, String value) {
        for (long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(10); nearHits(cache) == 0; ) {
            cache.get(key, missing -> value);
            if (System.nanoTime() - until > 0) {
                throw new IllegalStateException("the near cache does not answer");
            }
        }
    }

    private static long nearHits(StampedeGuardedCache<Long, String> cache) {
        return cache.stats().answers().getOrDefault(AnswerSource.NEAR, 0L);
    }

    private static void readAll(
            StampedeGuardedCache<Long, String> cache, List<Long> keys, BulkLoader<Long, String> loader) {
        for (int from = 0; from < keys.size(); from += BATCH) {
            cache.getAll(keys.subList(from, Math.min(from + BATCH, keys.size())), loader);
        }
    }

    private static Map<Long, String> refuse(Iterable<? extends Long> missing) {
        throw new IllegalStateException("not in the near cache: " + missing);
    }

    private static long heapInUse() {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
