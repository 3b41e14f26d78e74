package io.stampedeguard.redis.internal.connect;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.time.TimeSource;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionFactory;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisCredentials;
import redis.clients.jedis.RedisCredentialsProvider;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.authentication.AuthXManager;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.providers.ClusterConnectionProvider;
import redis.clients.jedis.providers.ConnectionProvider;
import redis.clients.jedis.providers.PooledConnectionProvider;
import redis.clients.jedis.providers.SentineledConnectionProvider;
import redis.clients.jedis.util.Pool;

/**
 * The connections of a client. They are accessed through fields that are not public, but the same from Jedis 6 to 8, while the
 * public clients and their methods differ. <em>Thread-safe.</em>
 */
public final class ClientConnections {
    private static final String JEDIS = "redis.clients.jedis.";

    private final ConnectionProvider provider;

    private ClientConnections(ConnectionProvider provider) {
        this.provider = provider;
    }

    /** Returns a client's connections; throws an {@link IllegalArgumentException} that names an incompatible setting. */
    public static ClientConnections of(UnifiedJedis client) {
        ConnectionProvider provider = provider(client);
        if (provider == null) {
            throw unusable(
                    "it has a single connection, which threads cannot share: use one with a pool of connections");
        }
        require(
                client.getCache() == null,
                "it has client-side caching (CacheConfig), and may return values that were invalidated:"
                        + " build it without CacheConfig, and use nearCache(...) of the cache");
        require(
                !provider.getClass().getName().startsWith(JEDIS) || isOfOneStore(provider),
                "it has several databases (" + provider.getClass().getSimpleName()
                        + "), and after a switch from one to another, it may return values that were invalidated: use a"
                        + " client of one server, Sentinel, or Cluster");
        ClientConnections connections = new ClientConnections(provider);
        connections.pools().values().forEach(ClientConnections::requireLimits);
        return connections;
    }

    private static void requireLimits(Pool<Connection> pool) {
        require(
                !pool.getBlockWhenExhausted() || !pool.getMaxWaitDuration().isNegative(),
                "its pool has no maxWait, and while all connections are in use, get would wait for ever:"
                        + " set it by poolConfig.setMaxWait(Duration.ofMillis(500)), before the client is built with"
                        + " this poolConfig");
        JedisClientConfig config = config(pool);
        if (config != null) {
            requireTimeout(config.getSocketTimeoutMillis(), "socketTimeoutMillis", "does not answer");
            requireTimeout(config.getConnectionTimeoutMillis(), "connectionTimeoutMillis", "cannot be reached");
        }
    }

    private static void requireTimeout(int millis, String name, String meanwhile) {
        require(
                millis != 0,
                "its " + name + " is 0, and while a server " + meanwhile + ", get would wait for ever: set it by"
                        + " DefaultJedisClientConfig.builder()." + name
                        + "(1_000), before the client is built with this"
                        + " clientConfig");
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
        return (ConnectionProvider) hidden(UnifiedJedis.class, "provider", client);
    }

    /** Returns the value of a private field of Jedis; throws an {@link IllegalStateException} if this version has none. */
    public static @Nullable Object hidden(Class<?> declaring, String name, Object owner) {
        try {
            Field field = declaring.getDeclaredField(name);
            field.setAccessible(true);
            return field.get(owner);
        } catch (ReflectiveOperationException | InaccessibleObjectException e) {
            throw new IllegalStateException(
                    "Jedis " + JedisVersion.found() + " does not expose the connections of a client: "
                            + declaring.getSimpleName() + "." + name,
                    e);
        }
    }

    /** Opens a connection like those of a pool, which does not count as one of it. Blocks; throws what Jedis throws. */
    public static Connection beside(Pool<Connection> pool) {
        try {
            return pool.getFactory().makeObject().getObject();
        } catch (RuntimeException failure) {
            throw failure;
        } catch (Exception declared) {
            throw new JedisException(declared);
        } catch (Error thrown) {
            throw RedisFailure.ofUserCode(thrown);
        }
    }

    /** Returns the configuration of a pool's connections; {@code null} if its factory is the application's own. */
    private static @Nullable JedisClientConfig config(Pool<Connection> pool) {
        return pool.getFactory() instanceof ConnectionFactory factory
                ? (JedisClientConfig) hidden(ConnectionFactory.class, "clientConfig", factory)
                : null;
    }

    /**
     * Returns the arguments of {@code AUTH} for a new connection of a pool; empty without a password, or if they are unknown. Calls
     * user code, as for a new connection; throws what it throws.
     */
    public static List<String> login(Pool<Connection> pool) {
        JedisClientConfig config = config(pool);
        AuthXManager tokens = config == null ? null : config.getAuthXManager();
        Supplier<RedisCredentials> provider =
                config == null || tokens != null ? tokens : config.getCredentialsProvider();
        if (!(provider instanceof RedisCredentialsProvider prepared)) {
            return provider == null ? List.of() : login(provider.get());
        }
        prepared.prepare();
        try {
            return login(prepared.get());
        } finally {
            prepared.cleanUp();
        }
    }

    private static List<String> login(@Nullable RedisCredentials credentials) {
        if (credentials == null || credentials.getPassword() == null) {
            return List.of();
        }
        String password = new String(credentials.getPassword());
        return credentials.getUser() == null ? List.of(password) : List.of(credentials.getUser(), password);
    }

    private static boolean isOfOneStore(ConnectionProvider provider) {
        return provider instanceof PooledConnectionProvider
                || provider instanceof SentineledConnectionProvider
                || provider instanceof ClusterConnectionProvider;
    }

    /** Returns how many connections to the single server there may be; negative for a cluster, or if the client hides them. */
    public int most() {
        return showsOnePool() ? onePool().getMaxTotal() : -1;
    }

    /** Sends a PING to the single server, and returns how long the exchange took. Blocks; throws what Jedis throws. */
    public long pingNanos(TimeSource time, Runnable sending) {
        return pingNanos(showsOnePool() ? onePool() : null, provider::getConnection, time, sending);
    }

    /**
     * Sends a PING, and returns how long the exchange took, without the wait for the connection; {@code sending} is called when there
     * is one, and before if the pool, {@code null} if it is not known, has one or may open it: a server that lets no connection in is
     * as silent as one that does not answer. A connection that broke while it was idle proves nothing: then all idle ones are closed,
     * and the PING is sent on another one. Throws what Jedis throws.
     */
    public static long pingNanos(
            @Nullable Pool<Connection> pool, Supplier<Connection> connections, TimeSource time, Runnable sending) {
        try {
            return onePingNanos(pool, connections, time, sending);
        } catch (RuntimeException failure) {
            if (!RedisFailure.brokenAtOnce(failure)) {
                throw failure;
            }
            if (pool != null) {
                pool.clear();
            }
            return onePingNanos(pool, connections, time, sending);
        }
    }

    private static long onePingNanos(
            @Nullable Pool<Connection> pool, Supplier<Connection> connections, TimeSource time, Runnable sending) {
        if (pool != null && isAnyFree(pool)) {
            sending.run();
        }
        try (Connection connection = connections.get()) {
            sending.run();
            long sentNanos = time.monotonicNanos();
            try {
                connection.ping();
            } catch (JedisDataException refused) {
                // an answer as well
            } catch (OutOfMemoryError tooLarge) {
                connection.setBroken();
                throw RedisFailure.tooLarge(tooLarge);
            }
            return time.monotonicNanos() - sentNanos;
        } catch (Error thrown) {
            throw RedisFailure.ofUserCode(thrown);
        }
    }

    public ConnectionProvider provider() {
        return provider;
    }

    @Nullable
    public ClusterConnectionProvider cluster() {
        return provider instanceof ClusterConnectionProvider cluster ? cluster : null;
    }

    /** Returns the current pool of each server, by name; empty if the client does not expose them. */
    public Map<?, ? extends Pool<Connection>> pools() {
        if (provider instanceof ServerPool own) {
            return Map.of("the server", own);
        }
        if (provider instanceof PooledConnectionProvider single) {
            return Map.of("the server", single.getPool());
        }
        if (provider instanceof ClusterConnectionProvider cluster) {
            return cluster.getNodes();
        }
        return provider instanceof SentineledConnectionProvider watched
                ? Map.of(watched.getCurrentMaster(), poolOfMaster(watched))
                : Map.of();
    }

    /** Before Jedis 7.1, there is no method for it. */
    @SuppressWarnings("unchecked")
    private static Pool<Connection> poolOfMaster(SentineledConnectionProvider watched) {
        return requireNonNull((Pool<Connection>) hidden(SentineledConnectionProvider.class, "pool", watched));
    }

    /**
     * Returns a message if all connections to a server are in use; {@code null} if some are left, or the client does not expose
     * them. Callers that are {@code waiting} have not requested a connection from a pool yet.
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

    /**
     * Closes the idle connections to a single server, so that the next command finds none that is broken; opens no new ones.
     * Does nothing for a cluster, whose masters break independently.
     */
    public void closeIdle() {
        if (cluster() == null) {
            pools().values().forEach(Pool::clear);
        }
    }

    /** Returns whether a connection to the single server is free, or can be opened. */
    public boolean isAnyFree() {
        return isAnyFree(onePool());
    }

    /** Returns whether a connection of a pool is free, or can be opened. */
    private static boolean isAnyFree(Pool<Connection> pool) {
        return pool.getMaxTotal() < 0 || pool.getNumActive() < pool.getMaxTotal();
    }

    public boolean showsOnePool() {
        return cluster() == null && !pools().isEmpty();
    }

    /** Returns the pool of the single server, which may differ after a failover. */
    public Pool<Connection> onePool() {
        return pools().values().iterator().next();
    }
}
