package io.stampedeguard.cli;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.RedisStoreOptions;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.redis.internal.connect.ClientConnections;
import io.stampedeguard.redis.internal.connect.ClientFactory;
import io.stampedeguard.redis.internal.connect.RedisFailure;
import io.stampedeguard.redis.internal.connect.RedisUri;
import io.stampedeguard.redis.internal.connect.RedisUri.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultRedisCredentials;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisCredentials;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.Pool;

/** A live Redis server, a master of Sentinels, or a cluster, with the store of the caches and the prefix of its keys. */
record Server(UnifiedJedis client, ClientConnections connections, RedisStore store, String prefix, RedisUri uri)
        implements AutoCloseable {
    /** An operator asks most of all while a server or the machine is slow. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final int MOST_CONNECTIONS = 8;

    /** The answer to {@code PTTL} for a key that does not exist. */
    private static final long NO_SUCH_KEY = -2;

    /**
     * How to connect, beside the URI: what the Sentinels require, by default what the URI has for the server that turns out to be
     * one, and whether the certificate must name the host. <em>Immutable.</em>
     */
    record Access(@Nullable RedisCredentials ofSentinels, boolean verifiesHostname) {
        private ClientFactory clients(RedisUri uri) {
            return new ClientFactory(
                    uri,
                    new ClientFactory.Settings(
                            PATIENCE,
                            PATIENCE,
                            MOST_CONNECTIONS,
                            null,
                            null,
                            uri.kind() == Kind.SENTINEL && ofSentinels != null ? () -> ofSentinels : null,
                            null,
                            null,
                            verifiesHostname));
        }

        /** Returns the access to a Sentinel for which the URI of a server was given. */
        private Access asFor(RedisUri sentinel) {
            return ofSentinels != null || sentinel.password() == null
                    ? this
                    : new Access(new DefaultRedisCredentials(sentinel.user(), sentinel.password()), verifiesHostname);
        }
    }

    /** Connects to what the URI names; a server may turn out to be a Sentinel, or a member of a cluster, and stands for it. */
    static Server connect(RedisUri uri, Access access, String prefix) {
        RedisUri tried = uri;
        try {
            tried = uri.kind() == Kind.SERVER ? found(uri, access) : uri;
            Access its = tried == uri ? access : access.asFor(tried);
            UnifiedJedis client = its.clients(tried).client();
            return new Server(client, ClientConnections.of(client), store(client, prefix), prefix, tried);
        } catch (JedisException e) {
            StoreException unanswered = RedisFailure.toStoreException("connect", "", e);
            String explained = String.valueOf(
                    RedisFailure.explained(unanswered, tried, () -> "").getMessage());
            throw new IllegalStateException(explained.replace("sentinelCredentials", "--sentinel-auth"), e);
        }
    }

    private static RedisUri found(RedisUri uri, Access access) {
        try (Jedis server = new Jedis(access.clients(uri).connection(""))) {
            String info = server.info();
            if (info.contains("redis_mode:sentinel")) {
                return uri.asSentinel(nameOfMaster(uri, server));
            }
            return info.contains("cluster_enabled:1") ? uri.asCluster() : uri;
        }
    }

    private static String nameOfMaster(RedisUri uri, Jedis sentinel) {
        List<String> names = sentinel.sentinelMasters().stream()
                .map(master -> String.valueOf(master.get("name")))
                .toList();
        if (names.size() != 1) {
            String scheme = uri.tls() ? "rediss" : "redis";
            throw new IllegalStateException("the Sentinel at %s knows %d masters, so name one: %s"
                    .formatted(
                            uri.shownAddress(),
                            names.size(),
                            names.stream()
                                    .map(name -> scheme + "-sentinel://" + uri.shownAddress() + "/"
                                            + KeyEncoder.printable(name))
                                    .collect(Collectors.joining(", "))));
        }
        return names.get(0);
    }

    private static RedisStore store(UnifiedJedis client, String prefix) {
        return RedisStore.using(
                client,
                RedisStoreOptions.builder()
                        .keyPrefix(prefix)
                        .commandTimeout(PATIENCE)
                        .build());
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
        return uri.kind() == Kind.CLUSTER;
    }

    /** Returns the name by which Sentinels know the master, {@code null} without Sentinels. */
    @Nullable
    String sentinelName() {
        return uri.kind() == Kind.SENTINEL ? uri.master() : null;
    }

    /** Returns the address of the only master, or {@code cluster}. */
    String name() {
        return isCluster() ? "cluster" : pools().keySet().iterator().next();
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
        if (uri.kind() == Kind.SERVER) {
            return Map.of(uri.shownAddress(), connections.onePool());
        }
        Map<String, Pool<Connection>> pools = new TreeMap<>();
        connections.pools().forEach((server, pool) -> pools.put(server.toString(), pool));
        return pools;
    }

    @Override
    public void close() {
        store.close();
        client.close();
    }
}
