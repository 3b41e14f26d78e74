package io.stampedeguard.redis;

import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.topology.RedisCluster;
import io.stampedeguard.testbed.topology.RedisSentinels;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisCredentials;
import redis.clients.jedis.RedisSentinelClient;

/** Clients of clusters and Sentinels whose waits are all limited, as an application should configure them. */
public final class Topologies {
    /** Longer than any machine is busy. */
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    /** For clients whose server dies. */
    public static final Duration FAILOVER = Duration.ofSeconds(3);

    private Topologies() {}

    public static RedisClusterClient client(RedisCluster cluster) {
        return client(cluster, TIMEOUT);
    }

    /** Creates a client that repeats a command for a time if a server is gone. */
    public static RedisClusterClient client(RedisCluster cluster, Duration retries) {
        return RedisClusterClient.builder()
                .nodes(addresses(cluster.nodes()))
                .clientConfig(config())
                .poolConfig(pool())
                .maxTotalRetriesDuration(retries)
                .build();
    }

    public static RedisSentinelClient client(RedisSentinels sentinels) {
        return RedisSentinelClient.builder()
                .masterName(sentinels.masterName())
                .sentinels(addresses(sentinels.sentinels()))
                .clientConfig(config())
                .sentinelClientConfig(config())
                .poolConfig(pool())
                .build();
    }

    private static Set<HostAndPort> addresses(List<RedisProcess> servers) {
        return servers.stream()
                .map(server -> new HostAndPort(server.host(), server.port()))
                .collect(Collectors.toSet());
    }

    /** Returns the URI of a cluster, by two of its members. */
    public static String uri(RedisCluster cluster) {
        return "redis-cluster://" + authority(cluster.nodes().subList(0, 2));
    }

    /** Returns the URI of the master that Sentinels watch. */
    public static String uri(RedisSentinels sentinels) {
        return "redis-sentinel://" + authority(sentinels.sentinels()) + "/" + sentinels.masterName();
    }

    private static String authority(List<RedisProcess> servers) {
        return servers.stream()
                .map(server -> server.host() + ":" + server.port())
                .collect(Collectors.joining(","));
    }

    /** Creates the configuration of a client whose calls wait for each answer as long as for a connection. */
    static JedisClientConfig config() {
        return settings().build();
    }

    /** Creates the configuration of such a client, with credentials. */
    static JedisClientConfig config(Supplier<RedisCredentials> credentials) {
        return settings().credentialsProvider(credentials).build();
    }

    private static DefaultJedisClientConfig.Builder settings() {
        return DefaultJedisClientConfig.builder()
                .resp2()
                .connectionTimeoutMillis((int) TIMEOUT.toMillis())
                .socketTimeoutMillis((int) TIMEOUT.toMillis());
    }

    private static GenericObjectPoolConfig<Connection> pool() {
        return pool(16);
    }

    /** Asks a server by a connection of its own. */
    static <T> T ask(RedisProcess server, Function<Jedis, T> question) {
        try (Jedis admin = PlainRedis.admin(server.host(), server.port())) {
            return question.apply(admin);
        }
    }

    /** Creates the configuration of a pool in which no caller waits forever. */
    static GenericObjectPoolConfig<Connection> pool(int connections) {
        GenericObjectPoolConfig<Connection> pool = new GenericObjectPoolConfig<>();
        pool.setMaxTotal(connections);
        pool.setMaxIdle(connections);
        pool.setMaxWait(TIMEOUT);
        pool.setJmxEnabled(false);
        return pool;
    }
}
