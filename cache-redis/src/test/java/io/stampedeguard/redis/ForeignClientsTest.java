package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.MultiDbClient;
import redis.clients.jedis.MultiDbConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.csc.CacheConfig;
import redis.clients.jedis.providers.PooledConnectionProvider;

/** Clients with which the promises could not be kept are rejected, with the reason. */
class ForeignClientsTest {
    private static RedisProcess server;

    @BeforeAll
    static void start() {
        server = RedisServer.startProcess();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static HostAndPort address() {
        return new HostAndPort(server.host(), server.port());
    }

    private static void assertRejected(UnifiedJedis client, String reason) {
        assertThatThrownBy(() -> RedisStore.using(client))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("the client cannot be used for a store: " + reason);
    }

    @Test
    void poolInWhichCallersWouldWaitForEver() {
        try (RedisClient client = RedisClient.create(server.uri())) {
            assertRejected(
                    client, "its pool has no maxWait, and while all connections are in use, get would wait for ever");
        }
    }

    @Test
    void connectionsOnWhichCallersWouldWaitForAnAnswerForEver() {
        JedisClientConfig endless =
                DefaultJedisClientConfig.builder().socketTimeoutMillis(0).build();
        try (RedisClient client = RedisClient.builder()
                .hostAndPort(address())
                .clientConfig(endless)
                .poolConfig(poolConfig())
                .build()) {
            assertRejected(
                    client,
                    "its socketTimeoutMillis is 0, and while a server does not answer, get would wait for ever: set it"
                            + " by DefaultJedisClientConfig.builder().socketTimeoutMillis(1_000)");
        }
    }

    @Test
    @ResourceLock(value = SharedCluster.LOCK, mode = ResourceAccessMode.READ)
    void connectionsToAClusterOnWhichCallersWouldWaitForAnAnswerForEver() {
        RedisProcess member = SharedCluster.get().nodes().get(0);
        try (RedisClusterClient client = RedisClusterClient.builder()
                .nodes(Set.of(new HostAndPort(member.host(), member.port())))
                .clientConfig(DefaultJedisClientConfig.builder()
                        .socketTimeoutMillis(0)
                        .build())
                .poolConfig(poolConfig())
                .build()) {
            assertRejected(client, "its socketTimeoutMillis is 0");
        }
    }

    @Test
    void connectionsThatCallersWouldOpenForEver() {
        JedisClientConfig endless =
                DefaultJedisClientConfig.builder().connectionTimeoutMillis(0).build();
        try (RedisClient client = RedisClient.builder()
                .hostAndPort(address())
                .clientConfig(endless)
                .poolConfig(poolConfig())
                .build()) {
            assertRejected(client, "its connectionTimeoutMillis is 0");
        }
    }

    @Test
    void poolThatRefusesAtOnceIsAccepted() {
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setBlockWhenExhausted(false);
        try (RedisClient client = RedisClient.builder()
                .hostAndPort(address())
                .clientConfig(Topologies.config())
                .poolConfig(pool)
                .build()) {
            assertThat(on(RedisStore.using(client, SharedRedis.WITHOUT_BREAKER)).read("k"))
                    .isNull();
        }
    }

    @Test
    @ResourceLock(value = SharedCluster.LOCK, mode = ResourceAccessMode.READ)
    void poolsOfAClusterInWhichCallersWouldWaitForEver() {
        RedisProcess member = SharedCluster.get().nodes().get(0);
        try (RedisClusterClient client = RedisClusterClient.create(new HostAndPort(member.host(), member.port()))) {
            assertRejected(client, "its pool has no maxWait");
        }
    }

    @Test
    void clientSideCaching() {
        try (RedisClient client = RedisClient.builder()
                .hostAndPort(address())
                .clientConfig(DefaultJedisClientConfig.builder().resp3().build())
                .poolConfig(poolConfig())
                .cacheConfig(CacheConfig.builder().maxSize(10).build())
                .build()) {
            assertRejected(client, "it has client-side caching (CacheConfig)");
        }
    }

    @Test
    void severalDatabases() {
        MultiDbConfig databases = MultiDbConfig.builder()
                .database(MultiDbConfig.DatabaseConfig.builder(
                                address(), DefaultJedisClientConfig.builder().build())
                        .build())
                .build();
        try (MultiDbClient client =
                MultiDbClient.builder().multiDbConfig(databases).build()) {
            assertRejected(client, "it has several databases");
        }
    }

    private static ConnectionPoolConfig poolConfig() {
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxWait(Duration.ofMillis(500));
        return pool;
    }

    @Test
    void poolOfAProgramOfOnesOwnIsSeenThroughItsProvider() {
        try (UnifiedJedis client = new UnifiedJedis(
                new PooledConnectionProvider(address(), Topologies.config(), Topologies.pool(2)),
                RedisProtocol.RESP2) {}) {
            RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER);
            assertThat(on(store).read("k")).isNull();
            assertThat(store.toString()).contains("answers; calls in progress: 0 of 2, waiting: 0");
        }
    }
}
