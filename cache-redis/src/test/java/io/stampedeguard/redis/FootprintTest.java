package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.BytesCodec;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a process costs Redis: the figures of docs/managed-redis.md. */
class FootprintTest {
    private static final int CALLERS = 100;
    private static final int ROWS = 1_000;
    private static final int ENTRIES = 5_000;

    @AutoClose
    private final OwnRedis redis = new OwnRedis();

    /** Most reads travel together, so they need few. */
    @Test
    void aProcessOpensNoMoreConnectionsThanTheSum() throws Exception {
        RedisStoreBuilder builder = SharedRedis.PATIENT.toBuilder().clientName("shop");
        try (RedisStore store = builder.connect(redis.uri());
                StampedeGuardedCache<Long, byte[]> cache = cache(store);
                Callers callers = new Callers()) {
            Fleet.until(() -> redis.clients("name=shop-changes ").count() == 1);
            long idle = connections();
            cache.getAll(LongStream.range(0, ROWS).boxed().toList(), FootprintTest::rows);
            call(callers, cache, ROWS);
            long afterHits = connections();
            call(callers, cache, 100 * ROWS);
            long afterMisses = connections();
            System.out.printf("connections: idle %d, after hits %d, after misses %d%n", idle, afterHits, afterMisses);
            assertThat(idle).isBetween(2L, 5L); // after half a minute, the pool has four
            assertThat(afterMisses).isLessThanOrEqualTo(64 + 8 + 2);
        }
    }

    private static Map<Long, byte[]> rows(Set<Long> keys) {
        return keys.stream().collect(Collectors.toMap(key -> key, key -> new byte[100]));
    }

    private static void call(Callers callers, StampedeGuardedCache<Long, byte[]> cache, int rows) throws Exception {
        Callers.results(callers.call(CALLERS, () -> {
            Random random = new Random();
            for (int i = 0; i < 100; i++) {
                cache.get((long) random.nextInt(rows), key -> new byte[100]);
            }
            return true;
        }));
    }

    private long connections() {
        return redis.clients("name=shop").count();
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 100, 1_000, 10_000})
    void anEntryTakesAsMuchMemoryAsDocumented(int payload) {
        try (RedisStore store = RedisStore.connect(redis.uri(), SharedRedis.PATIENT);
                StampedeGuardedCache<Long, byte[]> cache = cache(store)) {
            put(cache, 10_000, ENTRIES / 10, payload); // also loads the script
            long before = usedMemory();
            put(cache, 20_000, ENTRIES, payload);
            long each = (usedMemory() - before) / ENTRIES;
            byte[] first = "{shop:10000}".getBytes(StandardCharsets.US_ASCII);
            long named = redis.admin().memoryUsage(first);
            System.out.println("payload " + payload + ": value " + redis.admin().strlen(first) + ", MEMORY USAGE "
                    + named + ", used_memory per entry " + each);
            assertThat(each).isBetween(payload + first.length + 150L, payload * 5 / 4 + first.length + 300L);
            assertThat(named).isBetween(payload + first.length + 100L, payload * 5 / 4 + first.length + 150L);
        }
    }

    private static void put(StampedeGuardedCache<Long, byte[]> cache, long from, int number, int payload) {
        for (long key = from; key < from + number; key++) {
            cache.put(key, new byte[payload]);
        }
    }

    private long usedMemory() {
        return redis.admin()
                .info("memory")
                .lines()
                .filter(line -> line.startsWith("used_memory:"))
                .mapToLong(line -> Long.parseLong(line.substring("used_memory:".length())))
                .sum();
    }

    private static StampedeGuardedCache<Long, byte[]> cache(RedisStore store) {
        return StampedeGuardedCache.<Long, byte[]>builder("shop")
                .store(store)
                .codec(BytesCodec.of())
                .policy(CachePolicy.builder().softTtl(Duration.ofHours(1)).build())
                .nearCache(NearCacheOptions.builder().maximumSize(10).build())
                .build();
    }
}
