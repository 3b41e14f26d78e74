package io.stampedeguard.cli;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.RedisStoreOptions;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.testbed.program.Program;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
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

    /** The answer to {@code PTTL} for a key that does not exist. */
    private static final long NO_SUCH_KEY = -2;

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
        boolean answers = false;
        try {
            boolean isOfCluster = isOfCluster(single);
            answers = true;
            if (!isOfCluster) {
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
            throw new IllegalStateException(complaint(address, answers, Program.deepest(e)), e);
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

    /**
     * A server that refuses, the password for instance, is reachable: the network is not the problem. {@code answers} is whether it
     * has answered one request, and is a member of a cluster.
     */
    private static String complaint(HostAndPort address, boolean answers, Throwable reason) {
        String whatRedisDoes;
        if (reason instanceof JedisDataException) {
            whatRedisDoes = "the Redis server at " + address + " refused the request: ";
        } else if (answers) {
            whatRedisDoes =
                    "the Redis server at " + address + " answers, but the cluster that it belongs to cannot be used: ";
        } else {
            whatRedisDoes = "no Redis server answers at " + address + ": ";
        }
        return whatRedisDoes + KeyEncoder.printable(String.valueOf(reason.getMessage()));
    }

    /**
     * Returns the type of the value in the Redis key of an entry, if it is no string, and so no entry; {@code null} otherwise. A user
     * who may not ask for the type learns only that it is another one.
     */
    @Nullable
    String otherType(String storeKey) {
        byte[] name = new RedisKeys(prefix).value(storeKey);
        if (client.pttl(name) == NO_SUCH_KEY) {
            return null;
        }
        try {
            String type = client.type(name);
            return type.equals("string") || type.equals("none") ? null : KeyEncoder.printable(type);
        } catch (JedisDataException refused) {
            return "unknown";
        }
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
