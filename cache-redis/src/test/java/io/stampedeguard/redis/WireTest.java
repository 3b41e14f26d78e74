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
import io.stampedeguard.testkit.Fleet;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.UnifiedJedis;

/** The commands that reach the server, as the server counts them. */
class WireTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    @AutoClose
    private static final OwnRedis redis = new OwnRedis();

    private static final Jedis admin = redis.admin();

    private final String key = "wire:" + LeaseToken.next();
    private final LeaseToken token = LeaseToken.next();

    @Test
    void aHitIsOnePlainGet() {
        try (RedisStore store = RedisStore.connect(redis.uri(), SharedRedis.PATIENT)) {
            on(store).put(key, token.toBytes(), LONG);
            store.shared().currentTimeMillis();
            admin.configResetStat();

            for (int i = 0; i < 100; i++) {
                on(store).read(key);
                store.shared().currentTimeMillis();
            }

            assertThat(redis.calls()).containsOnly(Map.entry("get", 100L));
        }
    }

    @Test
    void aServerThatForgotTheScriptsIsToldThemAgain() {
        try (RedisStore store = RedisStore.connect(redis.uri(), SharedRedis.PATIENT)) {
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
    void connectionsAreMadeWhenTheyAreNeeded() {
        RedisStoreOptions options =
                SharedRedis.PATIENT.toBuilder().clientName("the-pool").build();
        try (RedisStore store = RedisStore.connect(redis.uri(), options)) {
            assertThat(on(store).read(key)).isNull();
            assertThat(admin.clientList().lines().filter(line -> line.contains("name=the-pool")))
                    .hasSize(1);
        }
    }

    @Test
    void fullServerRenewsLeasesTellsWhoHoldsThemAndRefusesToPublish() {
        try (RedisStore store = RedisStore.connect(redis.uri(), SharedRedis.PATIENT)) {
            on(store).lease(key, token, null, LONG);
            admin.configSet("maxmemory", "1");

            assertThat(store.shared().renew(List.of(new HeldLease(key, token)), LONG))
                    .isEmpty();
            assertThat(store.shared().renew(List.of(new HeldLease(key, LeaseToken.next())), LONG))
                    .hasSize(1);
            assertThat(on(store).lease(key, LeaseToken.next(), null, LONG))
                    .as("though it cannot note that somebody may wait")
                    .isInstanceOfSatisfying(
                            LeaseAttempt.Held.class,
                            held -> assertThat(held.holder()).isEqualTo(token));
            assertThatThrownBy(() -> on(store).publish(key, token, token.toBytes(), LONG))
                    .isInstanceOf(StoreException.class)
                    .hasMessageStartingWith("could not publish '" + key + "' at 127.0.0.1:"
                            + redis.server().port() + ": OOM");
        } finally {
            admin.configSet("maxmemory", "0");
        }
    }

    @Test
    void theClockIsTheServers() {
        try (RedisStore store = new SkewedTime(Duration.ofDays(30)).storeOn(redis.uri(), 1)) {
            long serverMillis = Long.parseLong(admin.time().get(0)) * 1_000;
            assertThat(Duration.ofMillis(store.shared().currentTimeMillis() - serverMillis)
                            .abs())
                    .as("the clock of this process is thirty days ahead")
                    .isLessThan(Duration.ofDays(1));
        }
    }

    /** What a miss that nobody else waits for costs. */
    @Test
    void uncontendedMissIsNineCommandsOrSevenInFewerRoundTrips() {
        CountedConnections connections = new CountedConnections(redis.server().port());
        try (UnifiedJedis client = connections.client();
                RedisStore store = RedisStore.using(client, SharedRedis.PATIENT, new SlowTime());
                StampedeGuardedCache<String, String> cache =
                        textCache("misses", store).build()) {
            admin.configResetStat();
            cache.get("first", key -> key);
            ServerCheckTest.awaitCheck(admin);
            Fleet.until(() -> store.toString().contains("calls in progress: 0 of 4"));

            admin.configResetStat();
            assertThat(connections.during(() -> cache.get("read", key -> key))).isEqualTo(3);
            assertThat(redis.calls()).isEqualTo(Map.of("evalsha", 2L, "mget", 3L, "set", 2L, "del", 1L, "time", 1L));

            List<String> keys =
                    IntStream.range(0, 20).mapToObj(each -> "k" + each).toList();
            keys.forEach(each -> cache.get("before-" + each, key -> key));
            admin.configResetStat();
            assertThat(connections.during(() -> keys.forEach(each -> cache.get(each, key -> key))))
                    .isEqualTo(2 * 20);
            assertThat(redis.calls())
                    .isEqualTo(Map.of("evalsha", 20L, "mget", 40L, "set", 40L, "del", 20L, "time", 20L));

            Map<String, String> warm = keys.stream().collect(Collectors.toMap(Function.identity(), key -> key));
            assertThat(cache.getAll(keys, missing -> Map.of())).isEqualTo(warm);
        }
    }
}
