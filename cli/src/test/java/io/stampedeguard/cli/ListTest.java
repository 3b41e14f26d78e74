package io.stampedeguard.cli;

import static io.stampedeguard.redlock.PatientStores.PATIENT;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.program.ProgramRun;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.SetParams;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The command {@code list} beside real caches on a real Redis. */
class ListTest {
    @AutoClose
    private static final RedisProcess redis = RedisServer.startProcess();

    @AutoClose
    private static final Jedis admin = PlainRedis.admin(redis.host(), redis.port());

    @BeforeEach
    void empty() {
        admin.flushAll();
    }

    private static void fill(String prefix, String name, String... keys) {
        CachePolicy policy = CachePolicy.builder()
                .softTtl(Duration.ofSeconds(300))
                .hardTtl(Duration.ofSeconds(600))
                .jitter(0)
                .build();
        try (RedisStore store = RedisStore.connect(
                        redis.uri(), PATIENT.toBuilder().keyPrefix(prefix).build());
                StampedeGuardedCache<String, String> cache = StampedeGuardedCache.<String, String>builder(name)
                        .store(store)
                        .codec(StringCodec.of())
                        .policy(policy)
                        .build()) {
            for (String key : keys) {
                cache.put(key, "value");
            }
        }
    }

    private static ProgramRun list(String... words) {
        return Commands.on(redis.uri(), words);
    }

    @Test
    void keysOfACacheAreListedWithTheirStatesAndTtls() {
        fill("", "products", "42");
        fill("", "products2", "1");
        admin.set("{products:7}:lease", "somebody's", SetParams.setParams().px(60_000));
        admin.set("{products:8}", "no entry");
        admin.zadd("{products:}:members", 1, "process");
        admin.set("products:9", "another program's");
        ProgramRun ended = list("list", "products");

        assertThat(ended.code()).isZero();
        assertThat(ended.errors()).isEmpty();
        assertThat(ended.lines()).hasSize(4);
        assertThat(ended.lines().get(0)).matches("key +entry +lease +bytes +age +soft +kept");
        assertThat(ended.lines())
                .anyMatch(line -> line.matches(
                        "'products:42'  fresh    free +5 +\\d+\\.\\d +(2\\d\\d|300)\\.\\d +(5\\d\\d|600)\\.\\d"))
                .anyMatch(line -> line.matches("'products:7' +absent +held +- +- +- +-"))
                .anyMatch(line -> line.matches("'products:8' +damaged +free +- +- +- +-"));
        assertThat(list("list", "others").lines()).containsExactly("no key was found");
    }

    @Test
    void whatWasEvictedIsNotCalledExpired() {
        fill("", "products", "42");
        assertThat(list("evict", "products").lines()).containsExactly("invalidated all keys of 'products'");

        assertThat(list("list", "products").lines().get(1))
                .matches("'products:42'  removed  free +5 +\\d+\\.\\d +0\\.0 +(5\\d\\d|600)\\.\\d");
        assertThat(list("inspect", "products:42").lines().get(1))
                .startsWith("  entry:   expired")
                .endsWith("; removed with all others, or by a tag");
    }

    @Test
    void evictOfACacheThatRedisDoesNotHaveSaysSo() {
        fill("shop:", "products", "42");
        for (int again = 0; again < 2; again++) { // the first one leaves a key of the cache
            ProgramRun misspelt = list("evict", "produkts", "--prefix", "shop:");
            assertThat(misspelt.code()).isZero();
            assertThat(misspelt.lines())
                    .containsExactly("invalidated all keys of 'produkts'; Redis had none of the cache:"
                            + " check its name and --prefix 'shop:'");
        }
        assertThat(list("evict", "products").lines().get(0)).endsWith("check its name and --prefix ''");
        assertThat(list("evict", "products", "--json").lines())
                .containsExactly("{\"invalidated\":\"products\",\"found\":false}");
        assertThat(list("evict", "products", "--prefix", "shop:").lines())
                .containsExactly("invalidated all keys of 'products'");
    }

    /** Caches need no permission for SCAN. */
    @Test
    void evictNeedsNoScan() {
        admin.aclSetUser("writer", "on", ">pw", "~*", "&*", "+@all", "-scan");
        assertThat(Commands.on("redis://writer:pw@%s:%d".formatted(redis.host(), redis.port()), "evict", "products")
                        .lines())
                .containsExactly("invalidated all keys of 'products'");
    }

    @Test
    void aLineOfJsonIsThatOfInspect() {
        fill("", "products", "42");
        ProgramRun ended = list("list", "products", "--json");

        assertThat(ended.lines()).hasSize(1);
        JsonNode json = JsonMapper.shared().readTree(ended.lines().get(0));
        assertThat(json.get("key").asString()).isEqualTo("products:42");
        assertThat(json.get("entry").get("state").asString()).isEqualTo("fresh");
        assertThat(json.get("lease").get("state").asString()).isEqualTo("free");
        assertThat(list("list", "others", "--json").lines()).isEmpty();
    }

    @Test
    void oddKeysAndPrefixesAreListed() {
        fill("app[1]:", "products", "a{b}%c:ü");

        assertThat(list("list", "products", "--prefix", "app[1]:").lines().get(1))
                .startsWith("'products:a{b}%c:ü'  fresh");
        assertThat(list("list", "products").lines()).containsExactly("no key was found");
    }

    @Test
    void limitIsSaid() {
        fill("", "products", "1", "2", "3");
        ProgramRun two = list("list", "products", "--limit", "2");

        assertThat(two.code()).isZero();
        assertThat(two.lines()).hasSize(3);
        assertThat(two.errors()).isEqualToIgnoringNewLines("there are more: only 2 keys are shown (--limit)");
        ProgramRun three = list("list", "products", "--limit", "3");
        assertThat(three.lines()).hasSize(4);
        assertThat(three.errors()).isEmpty();
    }

    @Test
    void boundOfTheScanIsSaid() {
        for (int key = 0; key < 5_000; key++) {
            admin.set("other:" + key, "x");
        }
        ProgramRun cutShort = list("list", "products", "--scan", "1000");

        assertThat(cutShort.lines()).containsExactly("no key was found");
        assertThat(cutShort.errors())
                .isEqualToIgnoringNewLines("there may be more: not all Redis keys were scanned (--scan)");
        assertThat(list("list", "products").errors()).isEmpty();
    }

    /** One SCAN for a thousand Redis keys, and no KEYS. */
    @Test
    void serverIsAskedInSteps() {
        for (int key = 0; key < 5_000; key++) {
            admin.set("{products:" + key + "}", "x");
        }
        admin.configResetStat();
        list("list", "products", "--limit", "1");
        assertThat(calls("scan")).isEqualTo(1);
        admin.configResetStat();
        list("list", "others");
        assertThat(calls("scan")).isBetween(2L, 10L);
        assertThat(calls("keys")).isZero();
    }

    private static long calls(String command) {
        return List.of(admin.info("commandstats").split("\r\n")).stream()
                .filter(line -> line.startsWith("cmdstat_" + command + ":calls="))
                .mapToLong(line -> Long.parseLong(line.replaceAll("^.*:calls=(\\d+),.*$", "$1")))
                .sum();
    }
}
