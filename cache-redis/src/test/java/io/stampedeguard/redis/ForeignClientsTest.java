package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testkit.ForEach;
import java.time.Duration;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
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
    @AutoClose
    private static final OwnRedis redis = new OwnRedis();

    private static final HostAndPort ADDRESS =
            new HostAndPort(redis.server().host(), redis.server().port());

    /** A client, and why it is rejected. */
    private enum Rejected {
        POOL_IN_WHICH_CALLERS_WOULD_WAIT_FOR_EVER(
                () -> RedisClient.create(redis.uri()),
                "its pool has no maxWait, and while all connections are in use, get would wait for ever"),
        POOLS_OF_A_CLUSTER_IN_WHICH_CALLERS_WOULD_WAIT_FOR_EVER(
                () -> RedisClusterClient.create(member()), "its pool has no maxWait"),
        ANSWER_FOR_WHICH_CALLERS_WOULD_WAIT_FOR_EVER(
                () -> client(settings().socketTimeoutMillis(0)),
                "its socketTimeoutMillis is 0, and while a server does not answer, get would wait for ever: set it"
                        + " by DefaultJedisClientConfig.builder().socketTimeoutMillis(1_000)"),
        ANSWER_OF_A_CLUSTER_FOR_WHICH_CALLERS_WOULD_WAIT_FOR_EVER(
                () -> RedisClusterClient.builder()
                        .nodes(Set.of(member()))
                        .clientConfig(settings().socketTimeoutMillis(0).build())
                        .poolConfig(poolConfig())
                        .build(),
                "its socketTimeoutMillis is 0"),
        CONNECTION_THAT_CALLERS_WOULD_OPEN_FOR_EVER(
                () -> client(settings().connectionTimeoutMillis(0)), "its connectionTimeoutMillis is 0"),
        CLIENT_SIDE_CACHING(
                () -> RedisClient.builder()
                        .hostAndPort(ADDRESS)
                        .clientConfig(settings().resp3().build())
                        .poolConfig(poolConfig())
                        .cacheConfig(CacheConfig.builder().maxSize(10).build())
                        .build(),
                "it has client-side caching (CacheConfig)"),
        SEVERAL_DATABASES(
                () -> MultiDbClient.builder()
                        .multiDbConfig(MultiDbConfig.builder()
                                .database(MultiDbConfig.DatabaseConfig.builder(
                                                ADDRESS, settings().build())
                                        .build())
                                .build())
                        .build(),
                "it has several databases");

        private final Supplier<UnifiedJedis> client;
        private final String reason;

        Rejected(Supplier<UnifiedJedis> client, String reason) {
            this.client = client;
            this.reason = reason;
        }
    }

    private static DefaultJedisClientConfig.Builder settings() {
        return DefaultJedisClientConfig.builder();
    }

    private static RedisClient client(DefaultJedisClientConfig.Builder settings) {
        return RedisClient.builder()
                .hostAndPort(ADDRESS)
                .clientConfig(settings.build())
                .poolConfig(poolConfig())
                .build();
    }

    private static ConnectionPoolConfig poolConfig() {
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxWait(Duration.ofMillis(500));
        return pool;
    }

    private static HostAndPort member() {
        RedisProcess member = SharedCluster.get().nodes().get(0);
        return new HostAndPort(member.host(), member.port());
    }

    @ForEach
    @ResourceLock(value = SharedCluster.LOCK, mode = ResourceAccessMode.READ)
    void clientIsRejectedWithTheReason(Rejected rejected) {
        try (UnifiedJedis client = rejected.client.get()) {
            assertThatThrownBy(() -> RedisStore.using(client))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("the client cannot be used for a store: " + rejected.reason);
        }
    }

    @Test
    void poolThatRefusesAtOnceIsAccepted() {
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setBlockWhenExhausted(false);
        try (RedisClient client = RedisClient.builder()
                .hostAndPort(ADDRESS)
                .clientConfig(Topologies.config())
                .poolConfig(pool)
                .build()) {
            assertThat(on(RedisStore.using(client, SharedRedis.WITHOUT_BREAKER)).read("k"))
                    .isNull();
        }
    }

    @Test
    void poolOfAProgramOfOnesOwnIsSeenThroughItsProvider() {
        try (UnifiedJedis client = new UnifiedJedis(
                new PooledConnectionProvider(ADDRESS, Topologies.config(), Topologies.pool(2)),
                RedisProtocol.RESP2) {}) {
            RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER);
            assertThat(on(store).read("k")).isNull();
            assertThat(store.toString()).contains("answers; calls in progress: 0 of 2, waiting: 0");
        }
    }
}
