package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.on;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseAttempt.Granted;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.UnifiedJedis;

/** A cluster behind one address, to a client of a single server, as serverless services and clusters of one shard are. */
class ClusterModeTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final List<String> KEYS =
            IntStream.range(0, 200).mapToObj(each -> "k" + each).toList();

    @AutoClose
    private static final OwnRedis redis =
            new OwnRedis("--cluster-enabled", "yes", "--cluster-port", RedisProcess.FREE_PORT);

    private static final Jedis admin = redis.admin();

    private final AtomicInteger loads = new AtomicInteger();

    @BeforeAll
    static void start() {
        admin.clusterAddSlotsRange(0, 16_383);
        Fleet.until(() -> admin.clusterInfo().contains("cluster_state:ok"));
        admin.aclSetUser("blind", "on", ">geheim", "~*", "&*", "+@all", "-info");
    }

    @BeforeEach
    void empty() {
        admin.flushAll();
        admin.configResetStat();
    }

    /** How a store comes to the server, and how many refused commands tell it that this is a cluster. */
    private enum Way {
        CONNECT(0) {
            @Override
            RedisStore open() {
                return RedisStore.connect(redis.uri(), SharedRedis.PATIENT);
            }
        },
        CONNECT_WITHOUT_INFO(1) {
            @Override
            RedisStore open() {
                return RedisStore.connect(redis.uri().replace("//", "//blind:geheim@"), SharedRedis.PATIENT);
            }
        },
        USING(1) {
            @Override
            RedisStore open() {
                return RedisStore.using(client(), SharedRedis.PATIENT);
            }
        },
        WITHOUT_COMBINED_READS(0) {
            @Override
            RedisStore open() {
                return RedisStore.connect(
                        redis.uri(),
                        SharedRedis.PATIENT.toBuilder().combineReads(false).build());
            }
        };

        private final int refused;

        Way(int refused) {
            this.refused = refused;
        }

        abstract RedisStore open();
    }

    private static UnifiedJedis client() {
        return PlainRedis.connectPatiently(redis.uri(), 4);
    }

    @ForEach
    void allIsAsOnASingleServerAndSaidOnce(Way way) {
        LogLines log = LogLines.of(() -> {
            try (RedisStore store = way.open();
                    StampedeGuardedCache<String, String> cache = cache(store)) {
                assertManyKeysAreReadAndLoadedOnce(cache);
                assertConcurrentReadsAreAnswered(store);
                assertChangesTakeEffect(cache);
                assertThat(refused()).isEqualTo(way.refused);
                assertOthersHearOfChanges(cache);
                assertThat(refused())
                        .as("and the first read of the other store, of an entry with the generation of its cache")
                        .isEqualTo(way.refused + 1);
                assertThat(cache.faults(FaultSource.STORE)).isZero();
            }
        });
        assertThat(log.lines().stream().filter(line -> line.contains("a cluster behind one address")))
                .as("once by each of the two stores")
                .hasSize(2);
    }

    /** Else it may find an entry from before a clear: no answer for a lease contains the generation here. */
    @Test
    void leaseWaitsUntilAProcessKnowsWhetherItsCacheWasCleared() throws Exception {
        CountDownLatch open = new CountDownLatch(1);
        try (CommandProxy proxy = new CommandProxy(
                        "127.0.0.1", URI.create(redis.uri()).getPort(), words -> heldUntil(open, words));
                RedisStore store = RedisStore.connect(proxy.uri(), SharedRedis.PATIENT)) {
            KEYS.subList(0, 20)
                    .forEach(key -> assertThat(lease(store, "one:" + key)).isInstanceOf(Granted.class));
            try (StampedeGuardedCache<String, String> two = cache("two", store)) {
                FutureTask<LeaseAttempt> lease = new FutureTask<>(() -> lease(store, "two:k"));
                Thread thread = new Thread(lease);
                thread.start();
                Fleet.until(() -> lease.isDone() || thread.getState() == Thread.State.TIMED_WAITING);
                assertThat(lease).as("of " + two.name()).isNotDone();

                open.countDown();

                assertThat(lease.get()).isInstanceOf(Granted.class);
            }
        }
    }

    private static LeaseAttempt lease(RedisStore store, String key) {
        return on(store).lease(key, LeaseToken.next(), null, LONG);
    }

    private static List<byte[]> heldUntil(CountDownLatch open, List<byte[]> words) {
        if (words.stream().anyMatch(word -> new String(word, UTF_8).equals("{two:}:gen"))) {
            try {
                open.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
        return words;
    }

    private StampedeGuardedCache<String, String> cache(RedisStore store) {
        return cache("one", store);
    }

    private static StampedeGuardedCache<String, String> cache(String name, RedisStore store) {
        return textCache(name, store).build();
    }

    private void assertManyKeysAreReadAndLoadedOnce(StampedeGuardedCache<String, String> cache) {
        Map<String, String> rows = KEYS.stream().collect(Collectors.toMap(Function.identity(), key -> key));
        assertThat(cache.getAll(KEYS, this::load)).isEqualTo(rows);
        assertThat(cache.getAll(KEYS, this::load)).isEqualTo(rows);
        assertThat(cache.getAllAsync(KEYS, this::load).join()).isEqualTo(rows);
        assertThat(cache.getAll(KEYS.subList(0, 10), this::load)).hasSize(10);
        assertThat(loads).hasValue(KEYS.size());
    }

    private Map<String, String> load(Set<String> keys) {
        loads.addAndGet(keys.size());
        return keys.stream().collect(Collectors.toMap(Function.identity(), key -> key));
    }

    private static void assertConcurrentReadsAreAnswered(RedisStore store) {
        ExecutorService threads = Executors.newFixedThreadPool(16);
        try {
            List<Callable<Boolean>> reads = new ArrayList<>();
            for (int turn = 0; turn < 5; turn++) {
                KEYS.forEach(key -> reads.add(() -> on(store).read("one:" + key) != null));
            }
            Collections.shuffle(reads);
            for (Future<Boolean> read : threads.invokeAll(reads)) {
                assertThat(read.get()).isTrue();
            }
        } catch (Exception e) {
            throw new AssertionError(e);
        } finally {
            threads.shutdownNow();
        }
    }

    private void assertChangesTakeEffect(StampedeGuardedCache<String, String> cache) {
        cache.put("k1", "another");
        cache.invalidate("k2");
        cache.expire("k3");
        assertThat(cache.get("k1", key -> "loaded")).isEqualTo("another");
        assertThat(cache.get("k2", key -> "loaded")).isEqualTo("loaded");
        Fleet.until(() -> cache.get("k3", key -> "loaded").equals("loaded"));
    }

    private void assertOthersHearOfChanges(StampedeGuardedCache<String, String> cache) {
        try (UnifiedJedis client = client();
                RedisStore store = RedisStore.using(client, SharedRedis.PATIENT);
                StampedeGuardedCache<String, String> near = textCache("one", store)
                        .nearCache(NearCacheOptions.builder()
                                .maximumSize(10)
                                .maxStaleness(LONG)
                                .build())
                        .build()) {
            Fleet.until(() -> isNear(near));
            cache.put("k4", "changed");
            Fleet.until(() -> near.get("k4", key -> "loaded").equals("changed"));
        }
    }

    /** A second read of a copy sends nothing. */
    private static boolean isNear(StampedeGuardedCache<String, String> near) {
        near.get("k4", key -> "loaded");
        long before = gets();
        near.get("k4", key -> "loaded");
        return gets() == before;
    }

    private static long gets() {
        return redis.calls("get");
    }

    private static long refused() {
        return admin.info("errorstats")
                .lines()
                .filter(line -> line.startsWith("errorstat_CROSSSLOT:count="))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .sum();
    }
}
