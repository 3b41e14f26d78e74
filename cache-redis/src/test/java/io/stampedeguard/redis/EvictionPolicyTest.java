package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.on;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.params.RestoreParams;

/**
 * The effect of each {@code maxmemory-policy} on leases. The memory of a real server is nearly filled with entries that
 * are in use: each was read often, and last within a minute. Then leases are taken, and entries are written until about
 * half of the first ones have been evicted.
 */
class EvictionPolicyTest {
    private static final RedisStoreOptions PATIENT = SharedRedis.PATIENT;
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final int MEBIBYTE = 1 << 20;
    private static final int LEASES = 100;
    private static final int WRITES = 1_000;
    private static final int ENTRY = 1_024;
    private static final int BATCH = 100;

    /** A server with little memory, with administration rights. */
    private record SmallServer(RedisProcess server, Jedis admin, int memory) implements AutoCloseable {
        static SmallServer start(String policy, int mebibytes) {
            RedisProcess server = RedisServer.startProcess("--maxmemory-policy", policy);
            SmallServer small =
                    new SmallServer(server, PlainRedis.admin(server.host(), server.port()), mebibytes * MEBIBYTE);
            small.admin.configSet("maxmemory", Long.toString(small.used() + small.memory));
            return small;
        }

        private long used() {
            return number("used_memory");
        }

        long number(String name) {
            Matcher line =
                    Pattern.compile("^" + name + ":(\\d+)", Pattern.MULTILINE).matcher(admin.info());
            assertThat(line.find()).as(name).isTrue();
            return Long.parseLong(line.group(1));
        }

        /** Nearly fills it with entries that were read often, the last time within a minute. */
        void fillWithEntriesInUse(String policy) {
            admin.set("sample", "x".repeat(ENTRY));
            byte[] dump = admin.dump("sample");
            admin.del("sample");
            Random random = new Random(1);
            long full = number("maxmemory") - memory / 8;
            for (int batch = 0; used() < full; batch++) {
                Pipeline pipeline = admin.pipelined();
                for (int i = 0; i < BATCH; i++) {
                    RestoreParams use = policy.endsWith("lfu")
                            ? RestoreParams.restoreParams().frequency(10 + random.nextInt(40))
                            : RestoreParams.restoreParams().idleTime(random.nextInt(60));
                    pipeline.restore("{used:" + batch + "-" + i + "}", ttlMillis(random), dump, use);
                }
                pipeline.sync();
            }
        }

        private static long ttlMillis(Random random) {
            return 60_000 + random.nextInt(540_000);
        }

        @Override
        public void close() {
            admin.close();
            server.close();
        }
    }

    /**
     * LRU is measured with more entries in use: with as few as the others, its samples sometimes contain no older key than a lease,
     * and 0 to 6 leases are lost.
     */
    @ParameterizedTest
    @CsvSource({
        "allkeys-lru, false, 6, 0, 5",
        "volatile-lru, false, 6, 0, 5",
        "allkeys-lfu, true, 2, 50, 100",
        "volatile-lfu, true, 2, 50, 100",
        "allkeys-random, true, 2, 15, 70",
        "volatile-random, true, 2, 15, 70",
        "volatile-ttl, true, 2, 50, 100"
    })
    void harmfulPolicyCausesAWarningAndLostLeasesPublishNothing(
            String policy, boolean harmful, int mebibytes, int leastLost, int mostLost) {
        try (SmallServer small = SmallServer.start(policy, mebibytes)) {
            LogLines log = LogLines.of(() -> {
                try (RedisStore store = RedisStore.connect(small.server.uri(), PATIENT)) {
                    small.fillWithEntriesInUse(policy);
                    Set<HeldLease> held = lease(store);
                    write(store);
                    Set<HeldLease> lost = store.shared().renew(held, LONG);

                    System.out.printf(
                            "%s: %d of %d leases lost, %d evictions, %d keys%n",
                            policy, lost.size(), LEASES, small.number("evicted_keys"), small.admin.dbSize());
                    assertThat(lost).hasSizeBetween(leastLost, mostLost);
                    lost.forEach(lease -> assertOlderValueNeverWins(store, lease));
                }
            });
            if (harmful) {
                assertThat(log.only(""))
                        .contains("WARN", "127.0.0.1:" + small.server.port(), policy, "set volatile-lru");
            } else {
                assertThat(log.lines()).isEmpty();
            }
        }
    }

    /** Without eviction, full memory refuses writes; leases stay, and callers are answered. */
    @Test
    void noevictionKeepsLeasesRefusesWritesAndCostsNoAnswer() {
        try (SmallServer small = SmallServer.start("noeviction", 2)) {
            LogLines log = LogLines.of(() -> {
                try (RedisStore store = RedisStore.connect(small.server.uri(), PATIENT)) {
                    small.fillWithEntriesInUse("noeviction");
                    Set<HeldLease> held = lease(store);
                    assertThatThrownBy(() -> write(store))
                            .isInstanceOf(StoreException.class)
                            .hasMessageContaining("OOM");
                    assertThat(held).allMatch(lease -> small.admin.exists("{" + lease.key() + "}:lease"));
                    assertThat(get(store)).isEqualTo("loaded");
                }
            });
            assertThat(log.lines()).noneMatch(line -> line.contains("maxmemory-policy"));
        }
    }

    private static String get(RedisStore store) {
        try (StampedeGuardedCache<String, String> cache =
                textCache("full", store).build()) {
            return cache.get("k", key -> "loaded");
        }
    }

    private static Set<HeldLease> lease(RedisStore store) {
        Set<HeldLease> held = IntStream.range(0, LEASES)
                .mapToObj(i -> new HeldLease("leased:" + i, LeaseToken.next()))
                .collect(Collectors.toSet());
        held.forEach(lease -> assertThat(on(store).lease(lease.key(), lease.token(), null, LONG))
                .isInstanceOf(LeaseAttempt.Granted.class));
        return held;
    }

    private static void write(RedisStore store) {
        for (int i = 0; i < WRITES; i++) {
            on(store).put("written:" + i, entry(LeaseToken.next(), ENTRY), LONG);
        }
    }

    /** Another process takes the lost lease, loads a newer value, and may lose its lease as well. */
    private static void assertOlderValueNeverWins(RedisStore store, HeldLease lost) {
        byte[] older = entry(lost.token(), 20);
        assertThat(on(store).publish(lost.key(), lost.token(), older, LONG)).isFalse();
        LeaseToken other = LeaseToken.next();
        assertThat(on(store).lease(lost.key(), other, null, LONG)).isInstanceOf(LeaseAttempt.Granted.class);
        on(store).publish(lost.key(), other, entry(other, 20), LONG);
        assertThat(on(store).publish(lost.key(), lost.token(), older, LONG)).isFalse();
        assertThat(on(store).read(lost.key()))
                .satisfiesAnyOf(
                        read -> assertThat(read).isNull(),
                        read -> assertThat(read).isEqualTo(entry(other, 20)));
    }

    /** Creates an entry, of which the store knows only that it begins with the token of its load. */
    private static byte[] entry(LeaseToken token, int length) {
        return Arrays.copyOf(token.toBytes(), length);
    }
}
