package io.stampedeguard.redis;

import static io.stampedeguard.testkit.TextCaches.textCache;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.redis.internal.connect.ClientConnections;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.RecordingListener;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionFactory;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.DefaultJedisSocketFactory;
import redis.clients.jedis.DefaultRedisCredentials;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.providers.PooledConnectionProvider;
import redis.clients.jedis.util.Pool;

/** Code of the user that Jedis calls to make a connection throws an {@code Error}: no caller of a cache gets it, unless it is fatal. */
final class ThrowingClientConfigTest {
    private final AtomicReference<Error> thrown = new AtomicReference<>();
    private final RecordingListener listener = new RecordingListener();
    private final RedisProcess server = RedisServer.startProcess();
    private volatile boolean isThrownIntoAQuestion;
    private UnifiedJedis client;
    private RedisStore store;
    private StampedeGuardedCache<String, String> cache;

    /** What throws. */
    private enum Callback {
        CREDENTIALS_PROVIDER {
            @Override
            UnifiedJedis client(ThrowingClientConfigTest test) {
                JedisClientConfig config = DefaultJedisClientConfig.builder()
                        .credentialsProvider(() -> {
                            test.mayThrow();
                            return new DefaultRedisCredentials(null, (char[]) null);
                        })
                        .build();
                return RedisClient.builder()
                        .hostAndPort(test.server.host(), test.server.port())
                        .clientConfig(config)
                        .poolConfig(pool())
                        .build();
            }
        },
        SOCKET_FACTORY {
            @Override
            UnifiedJedis client(ThrowingClientConfigTest test) {
                JedisClientConfig config = DefaultJedisClientConfig.builder().build();
                DefaultJedisSocketFactory sockets =
                        new DefaultJedisSocketFactory(new HostAndPort(test.server.host(), test.server.port()), config);
                ConnectionFactory factory = new ConnectionFactory(
                        () -> {
                            test.mayThrow();
                            return sockets.createSocket();
                        },
                        config);
                return new UnifiedJedis(new PooledConnectionProvider(factory, pool()), RedisProtocol.RESP2) {};
            }
        };

        abstract UnifiedJedis client(ThrowingClientConfigTest test);
    }

    private static GenericObjectPoolConfig<Connection> pool() {
        GenericObjectPoolConfig<Connection> pool = new GenericObjectPoolConfig<>();
        pool.setMaxWait(Duration.ofSeconds(20));
        return pool;
    }

    private void mayThrow() {
        Error error = thrown.get();
        if (error != null) {
            isThrownIntoAQuestion |= StackWalker.getInstance()
                    .walk(frames ->
                            frames.anyMatch(frame -> frame.getClassName().endsWith(".Generations")));
            throw error;
        }
    }

    private void open(UnifiedJedis opened) {
        client = opened;
        store = RedisStore.using(client, SharedRedis.PATIENT);
        cache = cacheOn(store);
    }

    private StampedeGuardedCache<String, String> cacheOn(RedisStore of) {
        return textCache("throwing", of).listener(listener).build();
    }

    @AfterEach
    void close() {
        thrown.set(null);
        cache.close();
        store.close();
        client.close();
        server.close();
    }

    /**
     * Closes the idle connections, so that each command needs another one, and repeats some calls until that cannot be made: work in
     * the background may have had a connection.
     */
    private static void withoutConnections(Collection<? extends Pool<Connection>> pools, IntPredicate meetsTheError) {
        AtomicInteger rounds = new AtomicInteger();
        Fleet.until(() -> {
            pools.forEach(Pool::clear);
            return meetsTheError.test(rounds.incrementAndGet());
        });
    }

    private Map<String, String> rows(Set<String> keys) {
        return keys.stream().collect(Collectors.toMap(key -> key, key -> "row"));
    }

    private void assertAllFormsAnswer(String prefix) {
        assertThat(cache.get(prefix + "get", key -> "row")).isEqualTo("row");
        assertThat(cache.get("stored", key -> "row")).isEqualTo("row");
        assertThat(cache.getAll(List.of("stored", prefix + "a", prefix + "b"), this::rows))
                .hasSize(3)
                .containsValue("row");
        assertThat(cache.getAsync(prefix + "async", key -> CompletableFuture.completedFuture("row")))
                .succeedsWithin(Duration.ofMinutes(1))
                .isEqualTo("row");
        cache.put(prefix + "put", "put");
        cache.invalidate(prefix + "invalidated");
        assertThat(cache.get(prefix + "put", key -> "put")).isEqualTo("put");
    }

    private void assertErrorsAreFaultsOnly(Collection<? extends Pool<Connection>> pools) {
        assertThat(cache.get("stored", key -> "row")).isEqualTo("row");
        thrown.set(new AssertionError("no credentials"));

        withoutConnections(pools, round -> {
            assertAllFormsAnswer(round + "-");
            return cache.faults(FaultSource.STORE) > 0;
        });
        assertAllFormsAnswer("last-");

        thrown.set(null);
        Fleet.until(() -> {
            long stored = listener.count(AnswerSource.STORE);
            assertThat(cache.get("stored", key -> "row")).isEqualTo("row");
            return listener.count(AnswerSource.STORE) > stored;
        });
    }

    private static Collection<? extends Pool<Connection>> poolOf(UnifiedJedis client) {
        return List.of(ClientConnections.of(client).onePool());
    }

    @ForEach
    void anErrorIsAFaultOfTheStore(Callback callback) {
        open(callback.client(this));
        assertErrorsAreFaultsOnly(poolOf(client));
    }

    private RedisClusterClient clusterClient() {
        RedisProcess member = SharedCluster.get().nodes().get(0);
        return RedisClusterClient.builder()
                .nodes(Set.of(new HostAndPort(member.host(), member.port())))
                .clientConfig(DefaultJedisClientConfig.builder()
                        .credentialsProvider(() -> {
                            mayThrow();
                            return new DefaultRedisCredentials(null, (char[]) null);
                        })
                        .build())
                .poolConfig(pool())
                .build();
    }

    @Test
    @ResourceLock(value = SharedCluster.LOCK, mode = ResourceAccessMode.READ)
    void anErrorIsAFaultOfAStoreOnACluster() {
        RedisClusterClient cluster = clusterClient();
        open(cluster);
        assertErrorsAreFaultsOnly(cluster.getClusterNodes().values());
    }

    /** On a cluster, they are how a process learns of a clear. Not even a fatal one ends them. */
    @Test
    @ResourceLock(value = SharedCluster.LOCK, mode = ResourceAccessMode.READ)
    void questionsAboutTheGenerationGoOnAfterAnError() {
        RedisClusterClient cluster = clusterClient();
        open(cluster);
        cache.put("cleared", "row");
        assertThat(cache.getIfPresent("cleared")).isEqualTo("row");

        thrown.set(new InternalError("no credentials"));
        Fleet.until(() -> {
            cluster.getClusterNodes().values().forEach(Pool::clear);
            return isThrownIntoAQuestion;
        });
        thrown.set(null);
        try (RedisStore another = RedisStore.connect(Topologies.uri(SharedCluster.get()), SharedRedis.PATIENT);
                StampedeGuardedCache<String, String> elsewhere = cacheOn(another)) {
            elsewhere.invalidateAll();
        }

        Fleet.until(() -> cache.getIfPresent("cleared") == null);
    }

    @Test
    void aFatalErrorPasses() {
        open(Callback.CREDENTIALS_PROVIDER.client(this));
        thrown.set(new InternalError("the machine is broken"));
        withoutConnections(poolOf(client), round -> {
            try {
                return !"row".equals(cache.get("k", key -> "row"));
            } catch (InternalError e) {
                return true;
            }
        });
    }
}
