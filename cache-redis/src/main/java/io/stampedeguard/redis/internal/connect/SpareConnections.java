package io.stampedeguard.redis.internal.connect;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.commons.pool2.PooledObjectFactory;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.providers.ConnectionProvider;
import redis.clients.jedis.util.Pool;

/**
 * Connections to a single server beside those of its callers, for what must not wait for them (ADR 0049). They are made as the
 * client makes its own, when they are needed, and closed after a minute without use. If the server refuses one, as one too many, the
 * callers' connections serve; not after a timeout, which would be paid twice. <em>Thread-safe.</em>
 */
public final class SpareConnections implements ConnectionProvider {
    public static final int MOST = 4;
    private static final Duration LONGEST_WAIT = Duration.ofMillis(500);
    private static final Duration LONGEST_IDLE = Duration.ofMinutes(1);
    private static final Duration CHECK_IDLE_EACH = Duration.ofSeconds(30);

    private final AtomicReference<@Nullable Pool<Connection>> pool = new AtomicReference<>();
    private final ClientConnections callers;

    public SpareConnections(ClientConnections callers) {
        this.callers = callers;
    }

    @Override
    public Connection getConnection() {
        try {
            return pool().getResource();
        } catch (JedisException failure) {
            if (RedisFailure.isTimeout(failure)) {
                throw failure;
            }
            return callers.provider().getConnection();
        } catch (Error thrown) {
            RedisFailure.ofUserCode(thrown); // unless it is fatal
            return callers.provider().getConnection();
        }
    }

    @Override
    public Connection getConnection(CommandArguments command) {
        return getConnection();
    }

    /** Returns the pool for the present server, which may change by a failover. */
    @SuppressWarnings("ReferenceEquality") // another server has another factory
    private Pool<Connection> pool() {
        PooledObjectFactory<Connection> factory = callers.onePool().getFactory();
        Pool<Connection> present = pool.get();
        if (present != null && present.getFactory() == factory && !present.isClosed()) {
            return present;
        }
        Pool<Connection> next = new ServerPool(factory, config());
        if (pool.compareAndSet(present, next)) {
            close(present);
            return next;
        }
        next.close();
        return pool();
    }

    private static GenericObjectPoolConfig<Connection> config() {
        GenericObjectPoolConfig<Connection> config = new GenericObjectPoolConfig<>();
        config.setMaxTotal(MOST);
        config.setMaxIdle(MOST);
        config.setMaxWait(LONGEST_WAIT);
        config.setJmxEnabled(false);
        config.setTimeBetweenEvictionRuns(CHECK_IDLE_EACH);
        config.setMinEvictableIdleDuration(LONGEST_IDLE);
        return config;
    }

    /** Closes the idle connections, so that the next command finds none that is broken. */
    public void closeIdle() {
        Pool<Connection> present = pool.get();
        if (present != null) {
            present.clear();
        }
    }

    @Override
    public void close() {
        close(pool.getAndSet(null));
    }

    private static void close(@Nullable Pool<Connection> former) {
        if (former != null) {
            former.close();
        }
    }
}
