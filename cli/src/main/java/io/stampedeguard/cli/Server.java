package io.stampedeguard.cli;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.RedisStoreOptions;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.Pool;

/** A live Redis server, or the whole cluster that it belongs to, with the store of the caches and the prefix of its keys. */
record Server(UnifiedJedis client, RedisStore store, String prefix) implements AutoCloseable {
    /** An operator asks most of all while a server or the machine is slow. */
    private static final int PATIENCE_MILLIS = 10_000;

    private static final int MOST_CAUSES = 50;

    static Server connect(URI uri, String prefix) {
        HostAndPort address = new HostAndPort(uri.getHost(), uri.getPort());
        JedisClientConfig config = DefaultJedisClientConfig.builder(uri)
                .resp2()
                .connectionTimeoutMillis(PATIENCE_MILLIS)
                .socketTimeoutMillis(PATIENCE_MILLIS)
                .build();
        UnifiedJedis client = connect(address, config);
        return new Server(
                client,
                RedisStore.using(
                        client,
                        RedisStoreOptions.builder()
                                .keyPrefix(prefix)
                                .commandTimeout(Duration.ofMillis(PATIENCE_MILLIS))
                                .build()),
                prefix);
    }

    private static UnifiedJedis connect(HostAndPort address, JedisClientConfig config) {
        RedisClient single = RedisClient.builder()
                .hostAndPort(address)
                .clientConfig(config)
                .poolConfig(pool())
                .build();
        try {
            if (!isOfCluster(single)) {
                return single;
            }
            single.close();
            return RedisClusterClient.builder()
                    .nodes(Set.of(address))
                    .clientConfig(config)
                    .poolConfig(pool())
                    .build();
        } catch (JedisException e) {
            single.close();
            throw new IllegalStateException(complaint(address, deepest(e)), e);
        }
    }

    private static ConnectionPoolConfig pool() {
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxWait(Duration.ofMillis(PATIENCE_MILLIS));
        return pool;
    }

    private static boolean isOfCluster(RedisClient client) {
        byte[] info = (byte[]) client.executeCommand(new CommandArguments(Protocol.Command.INFO).add("cluster"));
        return new String(info, StandardCharsets.UTF_8).contains("cluster_enabled:1");
    }

    /** A server that refuses, the password for instance, is reachable: the network is not the problem. */
    private static String complaint(HostAndPort address, Throwable reason) {
        String whatRedisDoes = reason instanceof JedisDataException
                ? "the Redis server at " + address + " refused the request: "
                : "no Redis server answers at " + address + ": ";
        return whatRedisDoes + KeyEncoder.printable(String.valueOf(reason.getMessage()));
    }

    /** Returns the last cause of a failure; of a cycle any. If Jedis failed at several addresses, a suppressed one is a cause. */
    static Throwable deepest(Throwable failure) {
        Throwable deepest = failure;
        for (int depth = 0; depth < MOST_CAUSES; depth++) { // they may form a cycle
            Throwable[] suppressed = deepest.getSuppressed();
            Throwable next = deepest.getCause() == null && suppressed.length > 0 ? suppressed[0] : deepest.getCause();
            if (next == null) {
                return deepest;
            }
            deepest = next;
        }
        return deepest;
    }

    boolean isCluster() {
        return client instanceof RedisClusterClient;
    }

    /** Calls each master in turn, and returns whether all members of a cluster answered. */
    boolean eachMaster(Consumer<Jedis> talk) {
        boolean all = true;
        for (Pool<Connection> pool : pools()) {
            try (Connection connection = pool.getResource()) {
                Jedis master = new Jedis(connection);
                if (!isCluster() || "master".equals(master.role().get(0))) {
                    talk.accept(master);
                }
            } catch (JedisConnectionException down) {
                if (!isCluster()) {
                    throw down;
                }
                all = false; // the answers of the others matter most in such a situation
            }
        }
        return all;
    }

    private List<Pool<Connection>> pools() {
        return client instanceof RedisClusterClient cluster
                ? new ArrayList<>(cluster.getClusterNodes().values())
                : List.of(((RedisClient) client).getPool());
    }

    @Override
    public void close() {
        store.close();
        client.close();
    }
}
