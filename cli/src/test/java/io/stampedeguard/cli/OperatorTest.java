package io.stampedeguard.cli;

import static io.stampedeguard.redlock.PatientStores.PATIENT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.StampedeGuardedCacheBuilder;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.report.EntryReport;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.program.ProgramRun;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.Jedis;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The operators' commands beside real caches on a real Redis; one of them as a separate program. */
class OperatorTest {
    /** Nothing expires by itself while the programs of a test run one after the other. */
    private static final CachePolicy POLICY = CachePolicy.builder()
            .softTtl(ofSeconds(300))
            .hardTtl(ofSeconds(600))
            .jitter(0)
            .leaseTtl(ofSeconds(30))
            .waitTimeout(ofMinutes(10))
            .loadTimeout(ofMinutes(10))
            .failureCoolDown(ofMinutes(5))
            .build();

    private static RedisProcess redis;

    @TempDir
    Path directory;

    private final CountDownLatch gate = new CountDownLatch(1);
    private final List<CompletableFuture<String>> calls = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<AutoCloseable> open = new ArrayList<>();
    private StampedeGuardedCache<String, String> here;
    private StampedeGuardedCache<String, String> elsewhere;

    @BeforeAll
    static void start() {
        redis = RedisServer.startProcess();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @BeforeEach
    void openCaches() {
        try (Jedis admin = PlainRedis.admin(redis.host(), redis.port())) {
            admin.flushAll();
        }
        here = cache("");
        elsewhere = cache("");
    }

    @AfterEach
    void close() throws Exception {
        gate.countDown();
        CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new))
                .exceptionally(failure -> null)
                .get(60, SECONDS);
        for (AutoCloseable each : open) {
            each.close();
        }
        threads.shutdownNow();
    }

    private static JsonNode json(ProgramRun ended) {
        assertThat(ended.lines()).as(ended.errors()).hasSize(1);
        return JsonMapper.shared().readTree(ended.lines().get(0));
    }

    @Test
    void inspectTellsOfAnEntryAndItsPayload() throws Exception {
        here.get("42", key -> "{\"id\":42, \"name\":\"Tür\n\"}");
        ProgramRun text = ProgramRun.inOwnJvm(Main.class, directory, "inspect", "products:42", "--redis", redis.uri());

        assertThat(text.code()).as(text.errors()).isZero();
        assertThat(text.lines()).hasSize(4);
        assertThat(text.lines().get(0)).isEqualTo("'products:42'");
        assertThat(text.lines().get(1))
                .matches("  entry:   fresh, 25 bytes of payload, loaded .* ago in .* by .*, soft expiry in 4 min .*");
        assertThat(text.lines().get(2)).isEqualTo("  payload: '{\"id\":42, \"name\":\"Tür\\u{a}\"}'");
        assertThat(text.lines().get(3)).isEqualTo("  lease:   free");

        JsonNode entry =
                json(run("inspect", "--cache", "products", "42", "--json")).get("entry");
        assertThat(entry.get("state").asString()).isEqualTo("fresh");
        assertThat(entry.get("payloadBytes").asLong()).isEqualTo(25);
        assertThat(entry.get("hardLeftMs").asLong()).isBetween(500_000L, 600_000L);
        assertThat(entry.get("head").asString()).isEqualTo("{\"id\":42, \"name\":\"Tür\n\"}");
    }

    @Test
    void whatIsNoTextIsShownInHexadecimalDigits() throws Exception {
        try (Jedis admin = PlainRedis.admin(redis.host(), redis.port())) {
            admin.set("{products:42}".getBytes(UTF_8), new byte[] {(byte) 0xff, 0, 1});
        }
        assertThat(run("inspect", "products:42").lines())
                .contains("  entry:   damaged, 3 bytes", "  payload: 0xff0001");
    }

    @Test
    void absentKeyIsExitCode1ExceptForInvalidate() throws Exception {
        ProgramRun ended = run("inspect", "products:42");

        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.lines()).containsExactly("'products:42'", "  entry:   absent", "  lease:   free");
        assertThat(run("lease", "products:42").code()).isEqualTo(1);
        ProgramRun release = run("lease", "products:42", "--release");
        assertThat(release.code()).isEqualTo(1);
        assertThat(release.lines().get(1)).isEqualTo("not released: the lease is not held");
        ProgramRun invalidate = run("invalidate", "products:42");
        assertThat(invalidate.code()).isZero();
        assertThat(invalidate.lines())
                .containsExactly("invalidated 'products:42'; before, its entry was absent and its lease free");
    }

    @Test
    void coolDownIsToldAndInvalidateEndsIt() throws Exception {
        assertThatThrownBy(() -> here.get("42", key -> {
                    throw new IllegalStateException("no such table");
                }))
                .isInstanceOf(LoadException.class);

        ProgramRun inspected = run("inspect", "products:42");
        assertThat(inspected.code()).isZero();
        assertThat(inspected.lines().get(2))
                .matches("  lease:   cooling down, for .* more, after 1 failed load:"
                        + " 'java.lang.IllegalStateException: no such table'");
        ProgramRun lease = run("lease", "products:42");
        assertThat(lease.code()).as("nobody holds it").isEqualTo(1);
        assertThat(lease.lines().get(0)).startsWith("lease of 'products:42': cooling down, for ");
        ProgramRun refused = run("lease", "products:42", "--release");
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.lines().get(1)).contains("invalidate the key");

        assertThat(run("invalidate", "products:42").lines())
                .containsExactly("invalidated 'products:42'; before, its entry was absent and its lease cooling down");
        assertThat(elsewhere.get("42", key -> "there again")).isEqualTo("there again");
    }

    @Test
    void hotTellsOfLeasesAndHowManyProcessesWait() throws Exception {
        load(here, "42");
        wait(elsewhere, "42");
        wait(elsewhere, "42");
        try (Jedis admin = PlainRedis.admin(redis.host(), redis.port())) {
            admin.set("somebody else's:lease", "x");
            awaitListeners(admin, "{products:42}:lease");
        }
        ProgramRun ended = run("hot");

        assertThat(ended.code()).as(ended.errors()).isZero();
        assertThat(ended.lines()).hasSize(2);
        assertThat(ended.lines().get(0)).matches("key +lease +processes");
        assertThat(ended.lines().get(1)).matches("'products:42'  held by \\S+, for .* more +1");
        JsonNode json = json(run("hot", "--json", "--scan", "0"));
        assertThat(json.get("key").asString()).isEqualTo("products:42");
        assertThat(json.get("processes").asLong()).isEqualTo(1);
        assertThat(json.get("lease").get("state").asString()).isEqualTo("held");
        assertThat(run("hot", "--cache", "other").lines())
                .containsExactly("no key is being loaded, cools down, or has waiting processes");
    }

    @Test
    void hotSaysNoMoreThanItLookedAt() throws Exception {
        load(here, "42");
        assertThat(run("hot", "--scan", "0").lines()).containsExactly("no process waits for a load in another process");

        try (Jedis admin = PlainRedis.admin(redis.host(), redis.port())) {
            for (int key = 0; key < 3_000; key++) {
                admin.set("other:" + key, "x");
            }
        }
        ProgramRun cutShort = run("hot", "--cache", "other", "--scan", "1");
        assertThat(cutShort.lines()).containsExactly("nothing found");
        assertThat(cutShort.errors()).contains("not all Redis keys were scanned");
        assertThat(run("hot", "--cache", "other").lines())
                .containsExactly("no key is being loaded, cools down, or has waiting processes");
    }

    @Test
    void releasedLeaseWakesThoseWhoWaitAndFencesItsHolder() throws Exception {
        CompletableFuture<String> late = load(here, "42");
        CompletableFuture<String> woken = wait(elsewhere, "42");
        try (Jedis admin = PlainRedis.admin(redis.host(), redis.port())) {
            awaitListeners(admin, "{products:42}:lease");
        }
        ProgramRun held = run("lease", "products:42");
        assertThat(held.code()).isZero();
        assertThat(held.lines().get(0)).startsWith("lease of 'products:42': held by ");

        ProgramRun released = run("lease", "products:42", "--release");
        assertThat(released.code()).as(released.errors()).isZero();
        assertThat(released.lines().get(1)).isEqualTo("released; waiting processes were notified");
        assertThat(woken.get(60, SECONDS)).isEqualTo("loaded by who was woken");
        gate.countDown();
        assertThat(late.get(60, SECONDS)).isEqualTo("loaded by the first");
        assertThat(elsewhere.get("42", key -> "unused")).isEqualTo("loaded by who was woken");
    }

    @Test
    void invalidateReachesNearCachesOfOtherProcesses() throws Exception {
        try (StampedeGuardedCache<String, String> near = cacheBuilder("", "products")
                .nearCache(NearCacheOptions.builder()
                        .maximumSize(10)
                        .maxStaleness(ofSeconds(60))
                        .build())
                .build()) {
            near.get("42", key -> "old");
            while (near.explain("42").copy() == null
                    || near.explain("42").copy().state() != EntryReport.State.FRESH) {
                near.get("42", key -> "old");
                Thread.sleep(ofMillis(20).toMillis());
            }

            ProgramRun ended = run("invalidate", "products:42", "--json");
            assertThat(json(ended).get("before").get("entry").get("state").asString())
                    .isEqualTo("fresh");

            long giveUp = System.nanoTime() + SECONDS.toNanos(60);
            while (near.get("42", key -> "new").equals("old") && System.nanoTime() < giveUp) {
                Thread.sleep(5);
            }
            assertThat(near.get("42", key -> "unused")).isEqualTo("new");
        }
    }

    @Test
    void evictReachesAllKeysOfItsCacheInOtherProcesses() throws Exception {
        elsewhere.put("42", "old");
        elsewhere.put("43", "old");

        ProgramRun expired = run("evict", "products", "--expire", "--json");
        assertThat(json(expired).get("expired").asString()).isEqualTo("products");
        assertThat(json(run("inspect", "products:42", "--json"))
                        .get("entry")
                        .get("state")
                        .asString())
                .isEqualTo("stale");
        assertThat(elsewhere.getIfPresent("42")).isEqualTo("old");

        assertThat(run("evict", "products").lines()).containsExactly("invalidated all keys of 'products'");
        assertThat(run("inspect", "products:42").lines()).anyMatch(line -> line.startsWith("  entry:   expired"));
        assertThat(elsewhere.get("42", key -> "new")).isEqualTo("new");
        assertThat(elsewhere.getIfPresent("43")).isNull();
    }

    @Test
    void evictWithATagReachesTheKeysWhoseValuesHaveIt() throws Exception {
        elsewhere.put("42", LoadedValue.of("old").tags("supplier:7"));
        elsewhere.put("43", LoadedValue.of("old").tags("supplier:8"));

        ProgramRun expired = run("evict", "products", "--tag", "supplier:7", "--expire", "--json");
        assertThat(json(expired).get("tag").asString()).isEqualTo("supplier:7");
        assertThat(run("inspect", "products:42").lines()).anyMatch(line -> line.startsWith("  entry:   stale"));
        assertThat(run("inspect", "products:43").lines()).anyMatch(line -> line.startsWith("  entry:   fresh"));

        assertThat(run("evict", "products", "--tag", "supplier:7").lines())
                .containsExactly("invalidated all keys of 'products' with the tag 'supplier:7'");
        assertThat(run("inspect", "products:42").lines()).anyMatch(line -> line.startsWith("  entry:   expired"));
        assertThat(elsewhere.getIfPresent("42")).isNull();
        assertThat(elsewhere.getIfPresent("43")).isEqualTo("old");
    }

    @Test
    void valueOfAnotherTypeIsNotCalledAbsentOnly() throws Exception {
        try (Jedis admin = PlainRedis.admin(redis.host(), redis.port())) {
            admin.rpush("{products:42}", "x");
            ProgramRun ended = run("inspect", "products:42");
            assertThat(ended.lines().get(1)).isEqualTo("  entry:   absent; its Redis key has a value of type list");
            assertThat(json(run("inspect", "products:42", "--json"))
                            .get("entry")
                            .get("otherType")
                            .asString())
                    .isEqualTo("list");

            admin.aclSetUser("blind", "on", ">pw", "~*", "&*", "+@all", "-type");
            assertThat(Commands.on(
                                    "redis://blind:pw@%s:%d".formatted(redis.host(), redis.port()),
                                    "inspect",
                                    "products:42")
                            .lines())
                    .contains("  entry:   absent; its Redis key has a value of type unknown");
            admin.aclDelUser("blind");
        }
        assertThat(run("inspect", "products:43").lines()).contains("  entry:   absent");
    }

    @Test
    void clusterWithoutSlotsIsNamedAsOne() throws Exception {
        try (RedisProcess member = RedisServer.startProcess("--cluster-enabled", "yes")) {
            for (String command : List.of("inspect products:42", "hot", "invalidate products:42", "evict products")) {
                ProgramRun ended = Commands.on(member.uri(), command.split(" "));
                assertThat(ended.code()).isEqualTo(1);
                assertThat(ended.errors())
                        .contains(": could not connect to Redis at cluster 127.0.0.1:" + member.port() + ": ");
            }
        }
    }

    @Test
    void oddKeysAndPrefixesAreFound() throws Exception {
        StampedeGuardedCache<String, String> odd = cache("app[1]:");
        odd.get("a{b}%c:ü", key -> "odd");

        assertThat(run("inspect", "products:a{b}%c:ü", "--prefix", "app[1]:")
                        .lines()
                        .get(2))
                .isEqualTo("  payload: 'odd'");
        load(odd, "x{y}");
        ProgramRun hot = run("hot", "--prefix", "app[1]:", "--json");
        assertThat(json(hot).get("key").asString()).isEqualTo("products:x{y}");
        assertThat(run("hot").lines()).as("of another prefix").hasSize(1);
    }

    @Test
    void redisThatDoesNotAnswerIsOneLine() throws Exception {
        for (String command : List.of(
                "inspect products:42",
                "lease products:42",
                "invalidate products:42",
                "hot",
                "list products",
                "doctor")) {
            ProgramRun ended = Commands.run((command + " --redis redis://127.0.0.1:1").split(" "));
            assertThat(ended.code()).isEqualTo(1);
            assertThat(ended.lines()).isEmpty();
            assertThat(ended.errors().lines()).hasSize(1);
            assertThat(ended.errors())
                    .startsWith("stampede " + command.split(" ")[0] + ": could not connect to Redis at 127.0.0.1:1: ");
        }
        String[] hot = {"hot", "--redis", "redis://127.0.0.1:1"};
        assertThat(ProgramRun.inOwnJvm(Main.class, directory, hot))
                .as("log lines included")
                .isEqualTo(Commands.run(hot));
    }

    @Test
    void refusalOfRedisIsRepeated() throws Exception {
        try (RedisProcess guarded = RedisServer.startProcess("--requirepass", "right")) {
            String address = "127.0.0.1:" + guarded.port();
            ProgramRun missing = Commands.run("inspect", "products:42", "--redis", "redis://" + address);
            assertThat(missing.code()).isEqualTo(1);
            assertThat(missing.lines()).isEmpty();
            assertThat(missing.errors().lines()).hasSize(1);
            assertThat(missing.errors())
                    .startsWith("stampede inspect: could not connect to Redis at " + address + ": NOAUTH ");
            assertThat(Commands.run("hot", "--redis", "redis://:wrong@" + address)
                            .errors())
                    .startsWith("stampede hot: could not connect to Redis at " + address + ": WRONGPASS ")
                    .doesNotContain("wrong@");
            assertThat(Commands.run("hot", "--redis", "redis://:right@" + address + "/99")
                            .errors())
                    .isEqualTo("stampede hot: could not connect to Redis at %s: ERR DB index is out of range%n"
                            .formatted(address));
            assertThat(Commands.run("hot", "--redis", "redis://:right@" + address)
                            .code())
                    .isZero();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    inspect                          | Missing required parameter: 'KEY'
                    inspect 42                       | KEY '42' is not CACHE:KEY; or set the cache with --cache
                    lease --cache a:b 42             | --cache 'a:b' is not a valid cache name
                    invalidate p:1 --redis a:secret@ | --redis is not a Redis URI: the scheme is neither redis, redis-sentinel, nor redis-cluster, with rediss for TLS in each; expected redis://[user:password@]host[:port][/database]
                    evict p:1                        | CACHE 'p:1' is not a valid cache name
                    hot --redis redis://h/abc        | --redis is not a Redis URI: the database '/abc' after the host is not a number; expected redis://[user:password@]host[:port][/database]
                    evict p --redis redis-cluster://h/1 | --redis is not a Redis URI: a cluster has no databases; expected redis-cluster://[user:password@]host[:port][,host[:port]...]
                    lease p:1 --prefix {x            | --prefix '{x' contains a brace, which no keyPrefix of a store does
                    hot --cache a:b                  | --cache 'a:b' is not a valid cache name
                    hot --scan -1                    | --scan -1 is less than 0
                    hot --most 0                     | --most 0 is less than 1
                    list                             | Missing required parameter: 'CACHE'
                    list products:42                 | CACHE 'products:42' is not a valid cache name
                    list products --limit 0          | --limit 0 is less than 1
                    list products --scan 0           | --scan 0 is less than 1
                    doctor --cache a:b               | --cache 'a:b' is not a valid cache name
                    doctor --slow -1                 | --slow -1 is less than 0
                    hot --no-such-option             | Unknown option: '--no-such-option'
                    """)
    void wrongOptionIsOneLineAndExitCode2(String command, String complaint) {
        assertThat(Commands.run(command.split(" ")))
                .isEqualTo(ProgramRun.ofWrongOption("stampede " + command.split(" ")[0], complaint));
    }

    @ParameterizedTest
    @CsvSource({"inspect", "lease", "invalidate", "evict", "hot", "list", "doctor"})
    void helpTellsTheOptionsAndTheExitCodes(String command) throws Exception {
        ProgramRun ended = Commands.run(command, "--help");

        assertThat(ended.code()).isZero();
        assertThat(String.join("\n", ended.lines()))
                .contains("Usage: ./stampede " + command, "--redis", "spring.application.name", "Exit code: 0");
    }

    private static ProgramRun run(String... arguments) {
        return Commands.on(redis.uri(), arguments);
    }

    private StampedeGuardedCache<String, String> cache(String prefix) {
        StampedeGuardedCache<String, String> cache =
                cacheBuilder(prefix, "products").build();
        open.add(0, cache);
        return cache;
    }

    private StampedeGuardedCacheBuilder<String, String> cacheBuilder(String prefix, String name) {
        RedisStore store = RedisStore.connect(
                redis.uri(), PATIENT.toBuilder().keyPrefix(prefix).build());
        open.add(store);
        return StampedeGuardedCache.<String, String>builder(name)
                .store(store)
                .codec(StringCodec.of())
                .policy(POLICY);
    }

    /** Starts a load that ends when the gate is opened, and waits until it runs. */
    private CompletableFuture<String> load(StampedeGuardedCache<String, String> cache, String key) throws Exception {
        CountDownLatch runs = new CountDownLatch(1);
        CompletableFuture<String> call = CompletableFuture.supplyAsync(
                () -> cache.get(key, same -> {
                    runs.countDown();
                    gate.await();
                    return "loaded by the first";
                }),
                threads);
        calls.add(call);
        assertThat(runs.await(60, SECONDS)).isTrue();
        return call;
    }

    private CompletableFuture<String> wait(StampedeGuardedCache<String, String> cache, String key) {
        CompletableFuture<String> call =
                CompletableFuture.supplyAsync(() -> cache.get(key, same -> "loaded by who was woken"), threads);
        calls.add(call);
        return call;
    }

    private static void awaitListeners(Jedis admin, String channel) throws InterruptedException {
        long giveUp = System.nanoTime() + SECONDS.toNanos(30);
        while (admin.pubsubNumSub(channel).get(channel) == 0) {
            assertThat(System.nanoTime()).isLessThan(giveUp);
            Thread.sleep(5);
        }
    }
}
