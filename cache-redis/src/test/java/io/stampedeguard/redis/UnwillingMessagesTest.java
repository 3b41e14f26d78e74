package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.changes;
import static io.stampedeguard.testkit.KeyCalls.notifications;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.spi.InvalidationEvents;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseNotifications;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.ChangesEar;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.UnifiedJedis;

/** If messages cannot be sent, or not received, or not correctly, everything else works. */
class UnwillingMessagesTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final LeaseToken token = LeaseToken.next();
    private final Waiter waiter = new Waiter();
    private final ChangesEar ear = new ChangesEar();

    @Test
    void userWithoutChannelsIsWarnedOnceOfEachLack() {
        try (OwnRedis redis = new OwnRedis(
                "--user", "shop", "on", ">geheim", "~*", "resetchannels", "+@all", "-@dangerous", "+info")) {
            LogLines log = LogLines.of(() -> {
                try (RedisStore store = RedisStore.connect(redis.uri("shop", "geheim"), SharedRedis.PATIENT)) {
                    notifications(store).watch("products:k", waiter);
                    changes(store).watchChanges("products", List.of(ear));
                    changes(store).watchChanges("prices", List.of(ear));
                    LogLines.await("Pub/sub is not permitted");
                    LogLines.await("Redis does not permit invalidation messages");
                    assertAllWritesWork(store);
                }
            });
            assertThat(waiter.listenings() + waiter.notices()).isZero();
            assertThat(ear.words()).isEmpty();
            assertThat(log.lines())
                    .hasSize(3)
                    .allMatch(line -> line.contains("WARN"))
                    .anyMatch(line -> line.contains("Pub/sub is not permitted; waiting callers poll instead: NOPERM"))
                    .anyMatch(line -> line.contains(
                            "Redis does not permit invalidation messages; near caches are not used: NOPERM"))
                    .anyMatch(line -> line.contains(
                            "does not permit this user to publish changes: near caches are not notified"));
        }
    }

    @Test
    void serverThatDoesNotKnowSubscriptionsIsReportedOnce() {
        try (OwnRedis redis = new OwnRedis("--rename-command", "SUBSCRIBE", "")) {
            LogLines log = LogLines.of(() -> {
                try (RedisStore store = RedisStore.connect(redis.uri(), SharedRedis.PATIENT)) {
                    notifications(store).watch("products:k", waiter);
                    LogLines.await("Pub/sub is not permitted");
                    assertAllWritesWork(store);
                }
            });
            assertThat(log.only("Pub/sub"))
                    .contains("Pub/sub is not permitted; waiting callers poll instead: ERR unknown command");
        }
    }

    private void assertAllWritesWork(RedisStore store) {
        String key = "products:k";
        assertThat(on(store).lease(key, token, null, LONG)).isInstanceOf(LeaseAttempt.Granted.class);
        assertThat(on(store).lease(key, LeaseToken.next(), null, LONG))
                .isInstanceOf(LeaseAttempt.Held.class); // it waits
        assertThat(on(store).publish(key, token, token.toBytes(), LONG)).isTrue();
        on(store).lease(key, token, token, LONG);
        assertThat(on(store).abandon(key, token)).isTrue();
        on(store).lease(key, token, token, LONG);
        assertThat(on(store).fail(key, token, new LeaseEnd.Fail(new byte[0], 1, LONG, LONG)))
                .isTrue();
        on(store).expire(key, 0, new byte[1]);
        on(store).put(key, token.toBytes(), LONG);
        assertThat(on(store).read(key)).hasSize(LeaseToken.BYTES);
        on(store).invalidate(key);
        assertThat(on(store).read(key)).isNull();
    }

    @Test
    void serverWithTooManyClientsIsSoonRetriedWithoutAWarning() {
        try (OwnRedis redis = new OwnRedis()) {
            LogLines log = LogLines.of(() -> {
                try (RedisStore store = RedisStore.connect(redis.uri(), SharedRedis.PATIENT)) {
                    redis.admin()
                            .configSet(
                                    "maxclients",
                                    String.valueOf(redis.clients("").count()));
                    changes(store).watchChanges("products", List.of(ear));
                    Fleet.until(() -> rejectedConnections(redis.admin()) > 5);
                    redis.admin().configSet("maxclients", "100");
                    ear.awaitListening(1);
                }
            });

            assertThat(log.lines()).isEmpty();
        }
    }

    private static long rejectedConnections(Jedis admin) {
        return admin.info("stats")
                .lines()
                .filter(line -> line.startsWith("rejected_connections:"))
                .mapToLong(line -> Long.parseLong(line.split(":", 2)[1].trim()))
                .sum();
    }

    /** A pool of one connection is left to the commands. */
    @ForEach
    void connectionsForMessagesAreNoneOfThePool(boolean onCluster) throws Exception {
        try (OwnRedis redis = onCluster ? clusterMember() : new OwnRedis();
                UnifiedJedis client = onCluster ? clusterClient(redis.server(), 1) : client(redis.server())) {
            try (RedisStore store = RedisStore.using(client, SharedRedis.PATIENT)) {
                notifications(store).watch("products:k", waiter);
                changes(store).watchChanges("products", List.of(ear));
                try (Callers callers = new Callers()) {
                    assertThat(Callers.results(callers.call(4, () -> putOften(store))))
                            .containsOnly(true);
                }
                waiter.awaitListenings(1);
                ear.awaitListening(1);

                assertAllWritesWork(store);

                waiter.awaitNotices(6);
                ear.awaitChanged("products:k");
            }
            Fleet.until(() -> redis.clients(" sub=1 ").findAny().isEmpty()
                    && redis.clients(" ssub=1 ").findAny().isEmpty());
            assertThat(client.ping()).isEqualTo("PONG");
        }
    }

    private boolean putOften(RedisStore store) {
        for (int i = 0; i < 200; i++) {
            on(store).put("busy", token.toBytes(), LONG);
        }
        return true;
    }

    @Test
    void clusterThatDoesNotKnowShardedChannelsUsesPlainOnes() {
        try (OwnRedis redis = clusterMember(
                        "--rename-command",
                        "SSUBSCRIBE",
                        "",
                        "--rename-command",
                        "SUNSUBSCRIBE",
                        "",
                        "--rename-command",
                        "SPUBLISH",
                        "");
                RedisClusterClient client = clusterClient(redis.server(), 4);
                RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER)) {
            Watch watch = notifications(store).watch("products:k", waiter);
            Waiter other = new Waiter();
            notifications(store).watch("gone", new Waiter()).close();
            notifications(store).watch("other", other);
            waiter.awaitListenings(1);
            other.awaitListenings(1);

            assertAllWritesWork(store);

            waiter.awaitNotices(6);
            watch.close();
            Fleet.until(() -> redis.admin().pubsubChannels().size() == 1);
        }
    }

    @Test
    void clientThatHidesItsConnectionsHasNoMessages() {
        try (OwnRedis redis = new OwnRedis();
                UnifiedJedis client = HiddenConnections.client(address(redis.server()));
                RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER)) {
            assertAllWritesWork(store);
            assertThat(store.shared().ability(LeaseNotifications.class)).isNull();
            assertThat(store.shared().ability(InvalidationEvents.class)).isNull();
        }
    }

    private static HostAndPort address(RedisProcess server) {
        return new HostAndPort(server.host(), server.port());
    }

    private static RedisClient client(RedisProcess server) {
        return RedisClient.builder()
                .hostAndPort(address(server))
                .clientConfig(Topologies.config())
                .poolConfig(Topologies.pool(1))
                .build();
    }

    private static RedisClusterClient clusterClient(RedisProcess member, int connections) {
        return RedisClusterClient.builder()
                .nodes(Set.of(address(member)))
                .clientConfig(Topologies.config())
                .poolConfig(Topologies.pool(connections))
                .build();
    }

    private static OwnRedis clusterMember(String... arguments) {
        OwnRedis member = new OwnRedis(Stream.concat(
                        Stream.of("--cluster-enabled", "yes", "--cluster-port", RedisProcess.FREE_PORT),
                        Arrays.stream(arguments))
                .toArray(String[]::new));
        member.admin().clusterAddSlotsRange(0, 16_383);
        Fleet.until(() -> new String((byte[]) member.admin().sendCommand(Protocol.Command.CLUSTER, "INFO"), UTF_8)
                .contains("cluster_state:ok"));
        return member;
    }
}
