package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.changes;
import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.spi.InvalidationEvents;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testkit.ChangesEar;
import io.stampedeguard.testkit.Fleet;
import java.time.Duration;
import java.util.List;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.UnifiedJedis;

/** If changes cannot be published, or received, everything else works. */
class UnwillingChangesTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final LeaseToken TOKEN = LeaseToken.next();

    @Test
    void aUserWithoutTheRightsChangesAllAndIsWarnedOnceThatItHearsNothingAndOnceThatItIsNotHeard() {
        try (RedisProcess server = RedisServer.startProcess(
                "--user", "shop", "on", ">geheim", "~*", "resetchannels", "+@all", "-@dangerous", "+info")) {
            String uri = "redis://shop:geheim@127.0.0.1:" + server.port();
            ChangesEar ear = new ChangesEar();
            LogLines log = LogLines.of(() -> {
                try (RedisStore store = RedisStore.connect(uri, SharedRedis.PATIENT);
                        Jedis admin = PlainRedis.admin(server.host(), server.port())) {
                    changes(store).watchChanges("products", List.of(ear));
                    changes(store).watchChanges("prices", List.of(ear));
                    LogLines.await("Redis does not permit invalidation messages");
                    assertThat(rejected(admin, "subscribe")).isTrue();
                    on(store).put("products:1", TOKEN.toBytes(), LONG);
                    on(store).expire("products:1", 0, new byte[1]);
                    assertThat(on(store).read("products:1")).hasSize(LeaseToken.BYTES);
                    on(store).invalidate("products:1");
                    assertThat(on(store).read("products:1")).isNull();
                    assertThat(ear.words()).isEmpty();
                }
            });
            assertThat(ear.words()).isEmpty();
            assertThat(log.lines())
                    .hasSize(2)
                    .allMatch(line -> line.contains("WARN"))
                    .anyMatch(line -> line.contains(
                            "Redis does not permit invalidation messages; near caches are not used: NOPERM"))
                    .anyMatch(line -> line.contains(
                            "does not permit this user to publish changes: near caches are not notified"));
        }
    }

    @Test
    void aServerWithTooManyClientsIsAskedAgainSoonAndWithoutAWarning() {
        ChangesEar ear = new ChangesEar();
        try (RedisProcess server = RedisServer.startProcess();
                Jedis admin = PlainRedis.admin(server.host(), server.port())) {
            LogLines log = LogLines.of(() -> {
                try (RedisStore store = RedisStore.connect(server.uri(), SharedRedis.PATIENT)) {
                    admin.configSet("maxclients", String.valueOf(clients(admin)));
                    changes(store).watchChanges("products", List.of(ear));
                    Fleet.until(() -> rejectedConnections(admin) > 5);
                    admin.configSet("maxclients", "100");
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

    private static boolean rejected(Jedis admin, String command) {
        return admin.info("commandstats")
                .lines()
                .anyMatch(line -> line.startsWith("cmdstat_" + command + ":") && !line.contains("rejected_calls=0"));
    }

    @Test
    void aPoolOfOneConnectionIsLeftToTheCommands() {
        GenericObjectPoolConfig<Connection> pool = Topologies.pool(1);
        try (RedisProcess server = RedisServer.startProcess();
                Jedis admin = PlainRedis.admin(server.host(), server.port());
                RedisClient client = RedisClient.builder()
                        .hostAndPort(server.host(), server.port())
                        .clientConfig(Topologies.config())
                        .poolConfig(pool)
                        .build()) {
            ChangesEar ear = new ChangesEar();
            try (RedisStore store = RedisStore.using(client, SharedRedis.PATIENT)) {
                changes(store).watchChanges("products", List.of(ear));
                ear.awaitListening(1);
                on(store).put("products:1", TOKEN.toBytes(), LONG);
                ear.awaitChanged("products:1");
                Fleet.until(() -> client.getPool().getNumActive() == 0); // after the check of the server
                assertThat(clients(admin)).isEqualTo(3);
            }
            Fleet.until(() -> clients(admin) == 2);
            assertThat(client.ping()).isEqualTo("PONG");
        }
    }

    private static long clients(Jedis admin) {
        return admin.clientList().lines().count();
    }

    @Test
    void clientThatHidesItsConnectionsReportsNoChanges() {
        try (RedisProcess server = RedisServer.startProcess();
                UnifiedJedis client = HiddenConnections.client(new HostAndPort(server.host(), server.port()));
                RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER)) {
            on(store).put("products:1", TOKEN.toBytes(), LONG);
            assertThat(store.shared().ability(InvalidationEvents.class)).isNull();
        }
    }
}
