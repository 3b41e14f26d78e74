package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.redis.internal.connect.JedisVersion;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.topology.RedisSentinels;
import io.stampedeguard.testkit.LeaseNotificationsContract;
import java.net.URI;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.JedisCluster;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.providers.PooledConnectionProvider;
import redis.clients.jedis.providers.SentineledConnectionProvider;

/**
 * Stores on clients that each supported version of Jedis has. With {@code -Pproof}, this class runs once for each of several
 * versions.
 */
@Tag("topology")
@ResourceLock(value = SharedCluster.LOCK, mode = ResourceAccessMode.READ)
class AnyJedisTest {
    private static final int ATTEMPTS = 3;
    private static final JedisClientConfig CONFIG = DefaultJedisClientConfig.builder()
            .protocol(RedisProtocol.RESP2)
            .timeoutMillis(20_000)
            .build();

    @Test
    void versionIsTheOneToBeTested() {
        String expected = System.getProperty("stampede.jedis");
        assertThat(JedisVersion.found()).isNotNull().startsWith(expected == null ? "8." : expected);
    }

    @Nested
    class OnASingleServer extends LeaseNotificationsContract {
        private static UnifiedJedis client;
        private static RedisStore store;

        @AfterAll
        static void close() {
            store.close();
            client.close();
        }

        @Override
        protected CacheStore store() {
            if (store == null) {
                URI uri = URI.create(SharedRedis.uri());
                client = new UnifiedJedis(
                        new PooledConnectionProvider(
                                new HostAndPort(uri.getHost(), uri.getPort()), CONFIG, Topologies.pool(8)),
                        RedisProtocol.RESP2) {};
                store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER);
            }
            return store;
        }
    }

    @Nested
    class OnSentinels {
        private static RedisSentinels sentinels;

        @BeforeAll
        static void start() {
            sentinels = RedisSentinels.startWithoutFailover();
        }

        @AfterAll
        static void stop() {
            sentinels.close();
        }

        private UnifiedJedis client(JedisClientConfig config, GenericObjectPoolConfig<Connection> pool) {
            Set<HostAndPort> addresses = sentinels.sentinels().stream()
                    .map(sentinel -> new HostAndPort(sentinel.host(), sentinel.port()))
                    .collect(Collectors.toSet());
            return new UnifiedJedis(
                    new SentineledConnectionProvider(sentinels.masterName(), config, pool, addresses, CONFIG),
                    RedisProtocol.RESP2) {};
        }

        @Test
        void connectionsAreCounted() {
            try (UnifiedJedis client = client(CONFIG, Topologies.pool(2));
                    RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER)) {
                assertThat(on(store).read("k")).isNull();
                assertThat(store.toString()).endsWith("answers; calls in progress: 0 of 2, waiting: 0}");
            }
        }

        @Test
        void theyNameTheMaster() {
            String uri = Topologies.uri(sentinels);
            try (RedisStore store = RedisStore.connect(uri, SharedRedis.PATIENT)) {
                on(store).put("k", LeaseToken.next().toBytes(), Duration.ofMinutes(1));
                assertThat(on(store).read("k")).isNotNull();
                on(store).invalidate("k");
            }
        }

        @Test
        void poolInWhichCallersWouldWaitForEverIsRejected() {
            try (UnifiedJedis client = client(CONFIG, new GenericObjectPoolConfig<>())) {
                assertThatThrownBy(() -> RedisStore.using(client))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("its pool has no maxWait");
            }
        }

        @Test
        void connectionsOnWhichCallersWouldWaitForEverAreRejected() {
            JedisClientConfig endless =
                    DefaultJedisClientConfig.builder().socketTimeoutMillis(0).build();
            try (UnifiedJedis client = client(endless, Topologies.pool(2))) {
                assertThatThrownBy(() -> RedisStore.using(client))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("its socketTimeoutMillis is 0");
            }
        }
    }

    @Nested
    class OnACluster extends LeaseNotificationsContract {
        private static UnifiedJedis client;
        private static RedisStore store;

        @AfterAll
        static void close() {
            store.close();
            client.close();
        }

        @Override
        @SuppressWarnings("deprecation") // its replacement came with Jedis 7.2
        protected CacheStore store() {
            if (store == null) {
                RedisProcess member = SharedCluster.get().nodes().get(0);
                client = new JedisCluster(
                        new HostAndPort(member.host(), member.port()), CONFIG, ATTEMPTS, Topologies.pool(8));
                store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER);
            }
            return store;
        }

        @Test
        void membersNameTheOthers() {
            String uri = Topologies.uri(SharedCluster.get());
            try (RedisStore own = RedisStore.connect(uri, SharedRedis.PATIENT)) {
                for (int i = 0; i < 10; i++) {
                    on(own).put("own:" + i, LeaseToken.next().toBytes(), Duration.ofMinutes(1));
                    assertThat(on(own).read("own:" + i)).isNotNull();
                }
            }
        }

        @Test
        void pingIsAnsweredBeforeAnythingIsKnownOfTheClusterAndAfterwards() {
            store();
            try (RedisStore fresh = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER)) {
                assertThat(fresh.ping()).isPositive();
                on(fresh).invalidate("products:1");
                assertThat(fresh.ping()).isPositive();
            }
        }
    }
}
