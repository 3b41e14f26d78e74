package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.measure.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/** The commands that reach the server, as the server counts them. */
class WireTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private static RedisProcess server;
    private static Jedis admin;

    private final String key = "wire:" + LeaseToken.next();
    private final LeaseToken token = LeaseToken.next();

    @BeforeAll
    static void start() {
        server = RedisServer.startProcess();
        admin = PlainRedis.admin(server.host(), server.port());
    }

    @AfterAll
    static void stop() {
        admin.close();
        server.close();
    }

    @Test
    void aHitIsOnePlainGet() {
        try (RedisStore store = RedisStore.connect(server.uri(), SharedRedis.PATIENT)) {
            on(store).put(key, token.toBytes(), LONG);
            store.shared().currentTimeMillis();
            admin.configResetStat();

            for (int i = 0; i < 100; i++) {
                on(store).read(key);
                store.shared().currentTimeMillis();
            }

            assertThat(calls()).containsOnly(Map.entry("get", 100L));
        }
    }

    @Test
    void aServerThatForgotTheScriptsIsToldThemAgain() {
        try (RedisStore store = RedisStore.connect(server.uri(), SharedRedis.PATIENT)) {
            admin.scriptFlush();
            assertThat(on(store).lease(key, token, null, LONG)).isInstanceOf(LeaseAttempt.Granted.class);
            admin.scriptFlush();
            assertThat(on(store).publish(key, token, token.toBytes(), LONG)).isTrue();
            admin.scriptFlush();
            on(store).expire(key, 0, new byte[] {1});
            admin.scriptFlush();
            on(store).invalidate(key);
            admin.scriptFlush();
            on(store).put(key, token.toBytes(), LONG);
            admin.scriptFlush();
            assertThat(on(store).abandon(key, token)).isFalse();
            assertThat(on(store).read(key)).isEqualTo(token.toBytes());
        }
    }

    @Test
    void aKnownScriptIsOneCommandOfItsDigest() {
        try (RedisStore store = RedisStore.connect(server.uri(), SharedRedis.PATIENT)) {
            on(store).lease(key, token, null, LONG);
            admin.configResetStat();

            on(store).lease(key, token, null, LONG);

            assertThat(calls()).containsEntry("evalsha", 1L).doesNotContainKeys("eval", "script|load");
        }
    }

    @Test
    void connectionsAreMadeWhenTheyAreNeeded() {
        RedisStoreOptions options =
                SharedRedis.PATIENT.toBuilder().clientName("the-pool").build();
        try (RedisStore store = RedisStore.connect(server.uri(), options)) {
            assertThat(on(store).read(key)).isNull();
            assertThat(admin.clientList().lines().filter(line -> line.contains("name=the-pool")))
                    .hasSize(1);
        }
    }

    @Test
    void leaseIsRenewedOnAServerThatIsOutOfMemory() {
        try (RedisStore store = RedisStore.connect(server.uri(), SharedRedis.PATIENT)) {
            on(store).lease(key, token, null, LONG);
            admin.configSet("maxmemory", "1");
            assertThat(store.shared().renew(List.of(new HeldLease(key, token)), LONG))
                    .isEmpty();
            assertThat(store.shared().renew(List.of(new HeldLease(key, LeaseToken.next())), LONG))
                    .hasSize(1);
        } finally {
            admin.configSet("maxmemory", "0");
        }
    }

    @Test
    void aFullServerRefusesAndTheMessageSaysSo() {
        try (RedisStore store = RedisStore.connect(server.uri(), SharedRedis.PATIENT)) {
            on(store).lease(key, token, null, LONG);
            admin.configSet("maxmemory", "1");
            assertThatThrownBy(() -> on(store).publish(key, token, token.toBytes(), LONG))
                    .isInstanceOf(StoreException.class)
                    .hasMessageStartingWith("could not publish '" + key + "' at 127.0.0.1:" + server.port() + ": OOM");
        } finally {
            admin.configSet("maxmemory", "0");
        }
    }

    @Test
    void aFullServerTellsWhoHoldsTheLeaseThoughItCannotNoteThatSomebodyMayWait() {
        try (RedisStore store = RedisStore.connect(server.uri(), SharedRedis.PATIENT)) {
            on(store).lease(key, token, null, LONG);
            admin.configSet("maxmemory", "1");
            assertThat(on(store).lease(key, LeaseToken.next(), null, LONG))
                    .isInstanceOfSatisfying(
                            LeaseAttempt.Held.class,
                            held -> assertThat(held.holder()).isEqualTo(token));
        } finally {
            admin.configSet("maxmemory", "0");
        }
    }

    @Test
    void theClockIsTheServers() {
        try (RedisStore store = new SkewedTime(Duration.ofDays(30)).storeOn(server.uri(), 1)) {
            long serverMillis = Long.parseLong(admin.time().get(0)) * 1_000;
            assertThat(Duration.ofMillis(store.shared().currentTimeMillis() - serverMillis)
                            .abs())
                    .as("the clock of this process is thirty days ahead")
                    .isLessThan(Duration.ofDays(1));
        }
    }

    private static Map<String, Long> calls() {
        return RedisCommands.parse(admin.info("commandstats")).besides("config");
    }
}
