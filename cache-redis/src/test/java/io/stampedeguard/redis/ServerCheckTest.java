package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.measure.RedisCommands;
import io.stampedeguard.testkit.Fleet;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.UnifiedJedis;

/** Redis must be 6.2 or newer, and its eviction policy should spare leases. */
class ServerCheckTest {
    @Test
    void anOldServerIsRefusedOnConnect() throws Exception {
        try (OldServer server = OldServer.start("6.0.16")) {
            assertThatThrownBy(() -> RedisStore.connect("redis://127.0.0.1:" + server.port(), SharedRedis.PATIENT))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage(
                            "the server at 127.0.0.1:%d is Redis 6.0.16, but 6.2 or newer is needed", server.port());
        }
    }

    @Test
    void aServerTooOldForTheHandshakeIsRefusedOnConnect() throws Exception {
        try (OldServer server = OldServer.start("5.0.14")) {
            assertThatThrownBy(() -> RedisStore.connect("redis://127.0.0.1:" + server.port(), SharedRedis.PATIENT))
                    .isInstanceOf(StoreException.class)
                    .hasMessage(
                            "could not connect to Redis at 127.0.0.1:%d: ERR unknown command `HELLO`, some arguments;"
                                    + " Redis supports it since 6.0, and 6.2 or newer is needed",
                            server.port());
        }
    }

    @Test
    void theOldestThatWillDoIsTaken() throws Exception {
        try (OldServer server = OldServer.start("6.2.0");
                RedisStore store = RedisStore.connect("redis://127.0.0.1:" + server.port(), SharedRedis.PATIENT)) {
            on(store).invalidate("k");
        }
    }

    @Test
    void callersClientOfAnOldServerCausesOneWarningAfterChanges() throws Exception {
        try (OldServer server = OldServer.start("6.0.16");
                RedisClient client = PlainRedis.connectPatiently("redis://" + server.host() + ":" + server.port(), 1)) {
            LogLines log = LogLines.of(() -> {
                RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER);
                on(store).invalidate("k");
                on(store).invalidate("k");
                LogLines.await("Unsupported Redis version");
            });
            assertThat(log.only(""))
                    .contains("WARN io.stampedeguard.redis.RedisStore - Unsupported Redis version:"
                            + " the server is Redis 6.0.16, but 6.2 or newer is needed");
        }
    }

    @Test
    void noChangeWaitsForTheCheck() throws Exception {
        CountDownLatch changed = new CountDownLatch(1);
        try (OldServer server = OldServer.start("6.0.16", changed);
                UnifiedJedis client = patientClient(server)) {
            LogLines log = LogLines.of(() -> {
                RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER);
                on(store).invalidate("k");
                changed.countDown();
                LogLines.await("Unsupported Redis version");
            });
            assertThat(log.lines()).hasSize(1);
        }
    }

    private static UnifiedJedis patientClient(OldServer server) {
        return RedisClient.builder()
                .hostAndPort(server.host(), server.port())
                .clientConfig(DefaultJedisClientConfig.builder()
                        .resp2()
                        .timeoutMillis(20_000)
                        .build())
                .poolConfig(Topologies.pool(2))
                .build();
    }

    @Test
    void theServerIsAskedOnceAndNotByTheConstructor() {
        try (RedisProcess server = RedisServer.startProcess();
                RedisClient client = PlainRedis.connectPatiently(server.uri(), 1);
                Jedis admin = PlainRedis.admin(server.host(), server.port())) {
            admin.configResetStat();
            RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER);
            assertThat(asked(admin)).isZero();
            lease(store);
            awaitCheck(admin);
            admin.configResetStat();
            lease(store);
            assertThat(asked(admin)).isZero();

            try (RedisStore connected = RedisStore.connect(server.uri(), SharedRedis.PATIENT)) {
                lease(connected);
            }
            assertThat(asked(admin)).isEqualTo(1);
        }
    }

    @Test
    void harmfulEvictionPolicyIsOneWarningForEachStore() {
        try (RedisProcess server =
                        RedisServer.startProcess("--maxmemory", "64mb", "--maxmemory-policy", "volatile-ttl");
                RedisClient client = PlainRedis.connectPatiently(server.uri(), 1)) {
            LogLines log = LogLines.of(() -> {
                on(RedisStore.using(client, SharedRedis.WITHOUT_BREAKER)).invalidate("k");
                LogLines.await("maxmemory-policy");
                try (RedisStore connected = RedisStore.connect(server.uri(), SharedRedis.PATIENT)) {
                    on(connected).invalidate("k");
                    on(connected).invalidate("k");
                }
            });
            assertThat(log.lines())
                    .satisfiesExactly(
                            using -> assertThat(using).contains("the server has maxmemory-policy volatile-ttl: "),
                            connected -> assertThat(connected)
                                    .endsWith("WARN io.stampedeguard.redis.RedisStore - the server at 127.0.0.1:"
                                            + server.port()
                                            + " has maxmemory-policy volatile-ttl: when its memory is full, it evicts"
                                            + " leases before entries, since they have the shortest TTL, and keys are"
                                            + " loaded more than once at the same time; set volatile-lru, or allkeys-lru"
                                            + " if no RedisKeyFilter is kept there"));
        }
    }

    @Test
    void evictionPolicyWithoutAKnownBoundIsNotAdvisedAgainst() {
        try (RedisProcess unbounded = RedisServer.startProcess("--maxmemory-policy", "volatile-ttl");
                RedisProcess silent = RedisServer.startProcess(
                        ("--maxmemory 64mb --maxmemory-policy volatile-ttl --user default on nopass ~* &* +@all -info")
                                .split(" "))) {
            LogLines log = LogLines.of(() -> {
                for (RedisProcess server : List.of(unbounded, silent)) {
                    try (RedisStore store = RedisStore.connect(server.uri(), SharedRedis.PATIENT)) {
                        on(store).invalidate("k");
                    }
                }
            });
            assertThat(log.lines()).isEmpty();
        }
    }

    /** Makes a change, after which the server is checked. */
    static void lease(RedisStore store) {
        on(store).lease("check", LeaseToken.next(), null, Duration.ofMinutes(1));
    }

    /** Waits until a server whose statistics were reset has executed an INFO of another client. */
    static void awaitCheck(Jedis admin) {
        AtomicInteger own = new AtomicInteger();
        Fleet.until(() -> RedisCommands.parse(admin.info("commandstats")).count("info") > own.getAndIncrement());
    }

    /** The number of INFO calls since the previous call of this method. */
    private static long asked(Jedis admin) {
        RedisCommands commands = RedisCommands.parse(admin.info("commandstats"));
        admin.configResetStat();
        return commands.count("info");
    }
}
