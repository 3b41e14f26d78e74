package io.stampedeguard.cli;

import static io.stampedeguard.redlock.PatientStores.PATIENT;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.RedisStoreBuilder;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.program.ProgramRun;
import io.stampedeguard.testkit.Fleet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.DefaultRedisCredentials;
import redis.clients.jedis.Jedis;

/** Each command with the URIs by which stores connect to Sentinels and to a cluster. */
class OperatorTopologyTest {
    private static final String PASSWORD = "geheim";
    private static final String OF_SENTINELS = "watched";

    @Test
    void eachCommandReachesTheMasterOfASentinel() {
        try (RedisProcess master = RedisServer.startProcess("--requirepass", PASSWORD);
                RedisProcess sentinel = RedisServer.startProcess("--sentinel", "--requirepass", OF_SENTINELS)) {
            try (Jedis admin = PlainRedis.admin(sentinel.host(), sentinel.port())) {
                admin.auth(OF_SENTINELS);
                admin.sentinelMonitor("one", master.host(), master.port(), 1);
                admin.sentinelSet("one", Map.of("auth-pass", PASSWORD));
            }
            String address = "127.0.0.1:" + sentinel.port();
            String uri = "redis-sentinel://:" + PASSWORD + "@" + address + "/one";
            RedisStoreBuilder builder =
                    PATIENT.toBuilder().sentinelCredentials(() -> new DefaultRedisCredentials(null, OF_SENTINELS));
            assertEachCommandWorks(uri, builder, "--sentinel-auth", OF_SENTINELS);

            ProgramRun refused = Commands.on(uri, "hot");
            assertThat(refused.code()).isEqualTo(1);
            assertThat(refused.errors())
                    .contains("could not connect to Redis at master 'one' of the Sentinels " + address + ": ")
                    .contains("those that require a password need --sentinel-auth")
                    .doesNotContain(PASSWORD);
            ProgramRun unknown = Commands.on(uri + "2", "hot", "--sentinel-auth", OF_SENTINELS);
            assertThat(unknown.code()).isEqualTo(1);
            assertThat(unknown.errors()).contains("master 'one2' of the Sentinels " + address);
        }
    }

    @Test
    void eachCommandReachesACluster() {
        try (RedisProcess member = RedisServer.startProcess(
                "--requirepass", PASSWORD, "--cluster-enabled", "yes", "--cluster-port", RedisProcess.FREE_PORT)) {
            try (Jedis admin = PlainRedis.admin(member.host(), member.port())) {
                admin.auth(PASSWORD);
                admin.clusterAddSlotsRange(0, 16_383);
                Fleet.until(() -> admin.clusterInfo().contains("cluster_state:ok"));
            }
            String uri = "redis-cluster://:" + PASSWORD + "@127.0.0.1:" + member.port();
            assertEachCommandWorks(uri, PATIENT.toBuilder());

            ProgramRun refused = Commands.on(uri.replace(PASSWORD, "wrong"), "hot");
            assertThat(refused.code()).isEqualTo(1);
            assertThat(refused.errors())
                    .contains("could not connect to Redis at cluster 127.0.0.1:%d: WRONGPASS".formatted(member.port()));
        }
    }

    private static void assertEachCommandWorks(String uri, RedisStoreBuilder builder, String... more) {
        try (RedisStore store = builder.connect(uri);
                StampedeGuardedCache<String, String> cache = StampedeGuardedCache.<String, String>builder("products")
                        .store(store)
                        .codec(StringCodec.of())
                        .build()) {
            cache.put("42", "lamp");
            assertThat(lines(uri, "inspect products:42", more)).contains("  payload: 'lamp'");
            assertThat(lines(uri, "list products", more)).anyMatch(line -> line.startsWith("'products:42'  fresh"));
            assertThat(lines(uri, "lease products:42", more)).containsExactly("lease of 'products:42': free");
            assertThat(lines(uri, "hot", more))
                    .containsExactly("no key is being loaded, cools down, or has waiting processes");
            assertThat(lines(uri, "doctor --slow 600000", more))
                    .contains("  ok       permissions  this user may call all commands of caches")
                    .anyMatch(line -> line.startsWith("  ok       leases       held: 0"));
            assertThat(lines(uri, "invalidate products:42", more))
                    .containsExactly("invalidated 'products:42'; before, its entry was fresh and its lease free");
            cache.put("43", "chair");
            assertThat(lines(uri, "evict products", more)).containsExactly("invalidated all keys of 'products'");
            assertThat(lines(uri, "inspect products:43", more)).anyMatch(line -> line.startsWith("  entry:   expired"));
        }
    }

    private static List<String> lines(String uri, String command, String... more) {
        List<String> words = new ArrayList<>(List.of(command.split(" ")));
        words.addAll(List.of(more));
        ProgramRun ended = Commands.on(uri, words.toArray(String[]::new));
        assertThat(ended.errors()).isEmpty();
        return ended.lines();
    }
}
