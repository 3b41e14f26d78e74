package io.stampedeguard.redis.internal.connect;

import io.stampedeguard.time.TimeSource;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.providers.ClusterConnectionProvider;
import redis.clients.jedis.providers.ConnectionProvider;
import redis.clients.jedis.providers.PooledConnectionProvider;
import redis.clients.jedis.providers.SentineledConnectionProvider;
import redis.clients.jedis.util.Pool;

/**
 * The connections of a client of the caller's. They are seen through the client's {@code ConnectionProvider}, a protected field that
 * is the same from Jedis 6 to 8, while the public clients and their methods differ. <em>Thread-safe.</em>
 */
public final class ClientConnections {
    private static final String JEDIS = "redis.clients.jedis.";

    private final ConnectionProvider provider;

    private ClientConnections(ConnectionProvider provider) {
        this.provider = provider;
    }

    /**
     * Checks that a client can keep what the cache promises.
     *
     * @throws IllegalArgumentException if it cannot; the message names the setting
     */
    public static ClientConnections of(UnifiedJedis client) {
        ConnectionProvider provider = provider(client);
        if (provider == null) {
            throw unusable(
                    "it has a single connection, which threads cannot share: use one with a pool of connections");
        }
        require(
                client.getCache() == null,
                "it has client-side caching (CacheConfig), and may answer from its own copies what was invalidated:"
                        + " build it without, and use nearCache(...) of the cache");
        require(
                !provider.getClass().getName().startsWith(JEDIS) || isOfOneStore(provider),
                "it has several databases (" + provider.getClass().getSimpleName()
                        + "), and after it has changed from one"
                        + " to another, what was invalidated may be answered: use a client of one server, Sentinel or"
                        + " Cluster");
        ClientConnections connections = new ClientConnections(provider);
        require(
                connections.pools().values().stream().noneMatch(ClientConnections::waitsForEver),
                "its pool has no maxWait, and while all connections are in use, get would wait for ever:"
                        + " set it by poolConfig.setMaxWait(Duration.ofMillis(500)), before the client is built with"
                        + " this poolConfig");
        return connections;
    }

    /** Returns the connections that a store has made itself. */
    public static ClientConnections own(PooledConnectionProvider provider) {
        return new ClientConnections(provider);
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw unusable(otherwise);
        }
    }

    private static IllegalArgumentException unusable(String why) {
        return new IllegalArgumentException("the client cannot be used for a store: " + why);
    }

    private static @Nullable ConnectionProvider provider(UnifiedJedis client) {
        try {
            Field field = UnifiedJedis.class.getDeclaredField("provider");
            field.setAccessible(true);
            return (ConnectionProvider) field.get(client);
        } catch (ReflectiveOperationException | InaccessibleObjectException e) {
            throw new IllegalStateException(
                    "Jedis " + JedisVersion.found() + " does not show the connections of a client", e);
        }
    }

    private static boolean isOfOneStore(ConnectionProvider provider) {
        return provider instanceof PooledConnectionProvider
                || provider instanceof SentineledConnectionProvider
                || provider instanceof ClusterConnectionProvider;
    }

    private static boolean waitsForEver(Pool<Connection> pool) {
        return pool.getBlockWhenExhausted() && pool.getMaxWaitDuration().isNegative();
    }

    /** Makes permits for the connections of a single server; for those of a cluster, or that are not shown, without a bound. */
    public ConnectionPermits permits(TimeSource time) {
        return new ConnectionPermits(showsOnePool() ? onePool().getMaxTotal() : -1, time);
    }

    public ConnectionProvider provider() {
        return provider;
    }

    /** Returns the cluster that the client leads to, {@code null} if it leads to a single server. */
    @Nullable
    public ClusterConnectionProvider cluster() {
        return provider instanceof ClusterConnectionProvider cluster ? cluster : null;
    }

    /** Returns the pool of each server, by its name, as they are at the moment; none if the client does not show them. */
    public Map<?, ? extends Pool<Connection>> pools() {
        if (provider instanceof PooledConnectionProvider single) {
            return Map.of("the server", single.getPool());
        }
        if (provider instanceof ClusterConnectionProvider cluster) {
            return cluster.getNodes();
        }
        return provider instanceof SentineledConnectionProvider watched && showsPool(watched)
                ? watched.getConnectionMap()
                : Map.of();
    }

    /** Before Jedis 7.1, the method is inherited, and borrows a connection. */
    private static boolean showsPool(SentineledConnectionProvider watched) {
        try {
            return watched.getClass().getMethod("getConnectionMap").getDeclaringClass() != ConnectionProvider.class;
        } catch (NoSuchMethodException e) {
            return false;
        }
    }

    /**
     * Returns that all connections to some server are in use; {@code null} if there are some left, or the client does not show them.
     *
     * @param waiting how many calls wait without having asked a pool
     */
    @Nullable
    public String shortage(int waiting) {
        for (Pool<Connection> pool : pools().values()) {
            int most = pool.getMaxTotal();
            if (most >= 0 && pool.getNumActive() >= most) {
                return "all connections of the pool are in use: %d; callers that wait for one: %d"
                        .formatted(most, waiting + pool.getNumWaiters());
            }
        }
        return null;
    }

    /** Returns whether the client leads to a single server and shows the pool of its connections. */
    public boolean showsOnePool() {
        return cluster() == null && !pools().isEmpty();
    }

    /** Returns the pool of the single server, which may be another one after a failover. */
    public Pool<Connection> onePool() {
        return pools().values().iterator().next();
    }
}
