package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.notifications;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseNotifications;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testkit.Fleet;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.UnifiedJedis;

/** If notifications cannot be sent, or not correctly, everything else works. */
class UnwillingNoticesTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final LeaseToken token = LeaseToken.next();

    @Test
    void aUserWithoutChannelsWritesAndIsWarnedOnceThatItHearsNothing() {
        try (RedisProcess server = RedisServer.startProcess(
                "--user", "shop", "on", ">geheim", "~*", "resetchannels", "+@all", "-@dangerous", "+info")) {
            String uri = "redis://shop:geheim@127.0.0.1:" + server.port();
            Waiter waiter = new Waiter();
            LogLines log = LogLines.of(() -> {
                try (RedisStore store = RedisStore.connect(uri, SharedRedis.PATIENT)) {
                    notifications(store).watch("k", waiter);
                    LogLines.await("Pub/sub is not permitted");
                    assertAllWritesWork(store);
                }
            });
            assertThat(waiter.listenings()).isZero();
            assertThat(waiter.notices()).isZero();
            assertThat(log.lines())
                    .filteredOn(line -> !line.contains("does not permit this user to publish changes"))
                    .singleElement()
                    .asString()
                    .contains("WARN")
                    .contains("Pub/sub is not permitted; waiting callers poll instead: NOPERM");
        }
    }

    @Test
    void serverThatDoesNotKnowSubscriptionsIsReportedOnce() {
        try (RedisProcess server = RedisServer.startProcess("--rename-command", "SUBSCRIBE", "")) {
            LogLines log = LogLines.of(() -> {
                try (RedisStore store = RedisStore.connect(server.uri(), SharedRedis.PATIENT)) {
                    notifications(store).watch("k", new Waiter());
                    LogLines.await("Pub/sub is not permitted");
                    assertAllWritesWork(store);
                }
            });
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("Pub/sub"))
                    .singleElement()
                    .asString()
                    .contains("Pub/sub is not permitted; waiting callers poll instead: ERR unknown command");
        }
    }

    private void assertAllWritesWork(RedisStore store) {
        assertThat(on(store).lease("k", token, null, LONG)).isInstanceOf(LeaseAttempt.Granted.class);
        assertThat(on(store).lease("k", LeaseToken.next(), null, LONG))
                .isInstanceOf(LeaseAttempt.Held.class); // it waits
        assertThat(on(store).publish("k", token, token.toBytes(), LONG)).isTrue();
        on(store).lease("k", token, token, LONG);
        assertThat(on(store).abandon("k", token)).isTrue();
        on(store).lease("k", token, token, LONG);
        assertThat(on(store).fail("k", token, new LeaseEnd.Fail(new byte[0], 1, LONG, LONG)))
                .isTrue();
        on(store).expire("k", 0, new byte[1]);
        on(store).put("k", token.toBytes(), LONG);
        on(store).invalidate("k");
        assertThat(on(store).read("k")).isNull();
    }

    @Test
    void aPoolOfOneConnectionIsLeftToTheCommands() throws Exception {
        try (RedisProcess server = RedisServer.startProcess();
                RedisClient client = RedisClient.builder()
                        .hostAndPort(server.host(), server.port())
                        .clientConfig(Topologies.config())
                        .poolConfig(Topologies.pool(1))
                        .build()) {
            try (RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER)) {
                assertIsNotifiedWhileCallersUseThePool(store);
            }
            Fleet.until(() -> client.getPool().getNumActive() == 0);
            assertThat(client.ping()).isEqualTo("PONG");
        }
    }

    @Test
    void aPoolOfOneConnectionToEachMasterIsLeftToTheCommands() throws Exception {
        try (RedisProcess member = startMember();
                RedisClusterClient client = RedisClusterClient.builder()
                        .nodes(Set.of(new HostAndPort(member.host(), member.port())))
                        .clientConfig(Topologies.config())
                        .poolConfig(Topologies.pool(1))
                        .build();
                RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER)) {
            assertIsNotifiedWhileCallersUseThePool(store);
        }
    }

    private void assertIsNotifiedWhileCallersUseThePool(RedisStore store) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        Waiter waiter = new Waiter();
        notifications(store).watch("k", waiter);
        for (Future<?> done : threads.invokeAll(Collections.nCopies(4, Executors.callable(() -> {
            for (int i = 0; i < 200; i++) {
                on(store).put("busy", token.toBytes(), LONG);
            }
        })))) {
            done.get();
        }
        threads.shutdown();
        waiter.awaitListenings(1);
        assertAllWritesWork(store);
        waiter.awaitNotices(6);
    }

    @Test
    void aClusterThatDoesNotKnowShardedChannelsTellsOnPlainOnes() throws Exception {
        try (RedisProcess member = startMember(
                        "--rename-command",
                        "SSUBSCRIBE",
                        "",
                        "--rename-command",
                        "SUNSUBSCRIBE",
                        "",
                        "--rename-command",
                        "SPUBLISH",
                        "");
                RedisClusterClient client = RedisClusterClient.builder()
                        .nodes(Set.of(new HostAndPort(member.host(), member.port())))
                        .clientConfig(Topologies.config())
                        .poolConfig(Topologies.pool(4))
                        .build();
                RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER);
                Jedis admin = PlainRedis.admin(member.host(), member.port())) {
            Waiter waiter = new Waiter();
            Watch watch = notifications(store).watch("k", waiter);
            Waiter other = new Waiter();
            notifications(store).watch("gone", new Waiter()).close();
            notifications(store).watch("other", other);
            waiter.awaitListenings(1);
            other.awaitListenings(1);

            assertAllWritesWork(store);

            waiter.awaitNotices(6);
            watch.close();
            Fleet.until(() -> admin.pubsubChannels().size() == 1);
        }
    }

    @Test
    void clientThatHidesItsConnectionsNotifiesNobody() {
        try (RedisProcess server = RedisServer.startProcess();
                UnifiedJedis client = HiddenConnections.client(new HostAndPort(server.host(), server.port()));
                RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER)) {
            assertAllWritesWork(store);
            assertThat(store.shared().ability(LeaseNotifications.class)).isNull();
        }
    }

    private static RedisProcess startMember(String... arguments) {
        String[] all = Stream.concat(
                        Stream.of("--cluster-enabled", "yes", "--cluster-port", RedisProcess.FREE_PORT),
                        Arrays.stream(arguments))
                .toArray(String[]::new);
        RedisProcess member = RedisServer.startProcess(all);
        try (Jedis admin = PlainRedis.admin(member.host(), member.port())) {
            admin.clusterAddSlotsRange(0, 16_383);
            Fleet.until(() -> new String((byte[]) admin.sendCommand(Protocol.Command.CLUSTER, "INFO"), UTF_8)
                    .contains("cluster_state:ok"));
        }
        return member;
    }
}
