package io.stampedeguard.cli;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.RedisStoreOptions;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.testbed.program.Program;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
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

/**
 * A live Redis server, or the whole cluster that it belongs to, with the store of the caches and the prefix of its keys. It is at the
 * {@code address}; {@code sentinelName} is the name by which a Sentinel knows it, {@code null} if none was asked.
 */
record Server(
        UnifiedJedis client,
        RedisStore store,
        String prefix,
        HostAndPort address,
        @Nullable String sentinelName) implements AutoCloseable {
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
        return connect(address, config, prefix, null);
    }

    /** Follows a Sentinel to its master. */
    private static Server connect(
            HostAndPort address, JedisClientConfig config, String prefix, @Nullable String sentinelName) {
        RedisClient single = RedisClient.builder()
                .hostAndPort(address)
                .clientConfig(config)
                .poolConfig(pool())
                .build();
        boolean answers = false;
        try {
            String info = info(single);
            answers = true;
            if (info.contains("redis_mode:sentinel")) {
                Map<String, String> master;
                try (single) {
                    master = master(address, single);
                }
                HostAndPort its = new HostAndPort(master.get("ip"), Integer.parseInt(master.get("port")));
                return connect(its, config, prefix, master.get("name"));
            }
            if (!info.contains("cluster_enabled:1")) {
                return new Server(single, store(single, prefix), prefix, address, sentinelName);
            }
            single.close();
            UnifiedJedis cluster = RedisClusterClient.builder()
                    .nodes(Set.of(address))
                    .clientConfig(config)
                    .poolConfig(pool())
                    .build();
            return new Server(cluster, store(cluster, prefix), prefix, address, null);
        } catch (JedisException e) {
            single.close();
            throw new IllegalStateException(complaint(address, answers, Program.deepest(e)), e);
        }
    }

    private static RedisStore store(UnifiedJedis client, String prefix) {
        return RedisStore.using(
                client,
                RedisStoreOptions.builder()
                        .keyPrefix(prefix)
                        .commandTimeout(Duration.ofMillis(PATIENCE_MILLIS))
                        .build());
    }

    private static Map<String, String> master(HostAndPort address, RedisClient sentinel) {
        try (Connection connection = sentinel.getPool().getResource()) {
            List<Map<String, String>> masters = new Jedis(connection).sentinelMasters();
            if (masters.size() != 1) {
                throw new IllegalStateException("the Sentinel at " + address + " knows " + masters.size()
                        + " masters, so give the address of one: "
                        + masters.stream()
                                .map(each -> each.get("name") + " at " + each.get("ip") + ":" + each.get("port"))
                                .toList());
            }
            return masters.get(0);
        }
    }

    private static ConnectionPoolConfig pool() {
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxWait(Duration.ofMillis(PATIENCE_MILLIS));
        return pool;
    }

    /** Returns all sections, since Redis 6.2 accepts only one as an argument. */
    private static String info(RedisClient client) {
        byte[] info = (byte[]) client.executeCommand(new CommandArguments(Protocol.Command.INFO));
        return new String(info, StandardCharsets.UTF_8);
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

    /** Calls each master in turn, with its address, and returns whether all members of a cluster answered. */
    boolean eachMaster(BiConsumer<String, Jedis> talk) {
        boolean all = true;
        for (Map.Entry<String, ? extends Pool<Connection>> pool : pools().entrySet()) {
            try (Connection connection = pool.getValue().getResource()) {
                Jedis master = new Jedis(connection);
                if (!isCluster() || "master".equals(master.role().get(0))) {
                    talk.accept(pool.getKey(), master);
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

    private Map<String, ? extends Pool<Connection>> pools() {
        return client instanceof RedisClusterClient cluster
                ? new TreeMap<>(cluster.getClusterNodes())
                : Map.of(address.toString(), ((RedisClient) client).getPool());
    }

    @Override
    public void close() {
        store.close();
        client.close();
    }
}
