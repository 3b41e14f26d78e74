package io.stampedeguard.redis;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.providers.ConnectionProvider;

/**
 * A bounded pool of connections that keeps as many as it may have. A broken one is thrown away by a thread of its own:
 * the pool makes another in its place when callers wait for one, and whoever had just paid for a timeout would pay for
 * that one as well. <em>Thread-safe.</em>
 */
final class Connections implements ConnectionProvider {
    private static final Duration CHECK_IDLE_EACH = Duration.ofSeconds(30);
    private static final long DISCARDER_IDLE_SECONDS = 10;

    private static final Logger LOG = LoggerFactory.getLogger(RedisStore.class);

    private final int size;
    private final String where;
    private final ExecutorService discarder = discarder();
    private final ConnectionPool pool;

    Connections(HostAndPort address, JedisClientConfig config, RedisStoreOptions options) {
        size = options.maxConnections();
        where = " at " + address;
        pool = new ConnectionPool(address, config, poolConfig(options)) {
            @Override
            public void returnBrokenResource(Connection broken) {
                discarder.execute(() -> discard(broken));
            }

            private void discard(Connection broken) {
                try {
                    super.returnBrokenResource(broken);
                } catch (JedisException noOtherInItsPlace) {
                    LOG.debug("No connection{} in place of a broken one", where, noOtherInItsPlace);
                }
            }
        };
    }

    private static GenericObjectPoolConfig<Connection> poolConfig(RedisStoreOptions options) {
        GenericObjectPoolConfig<Connection> config = new GenericObjectPoolConfig<>();
        config.setMaxTotal(options.maxConnections());
        config.setMaxIdle(options.maxConnections());
        config.setMinIdle(options.maxConnections());
        config.setMaxWait(options.borrowTimeout());
        config.setJmxEnabled(false);
        // Each 30 s all idle connections are asked whether they live, and missing ones are made.
        config.setTestWhileIdle(true);
        config.setTimeBetweenEvictionRuns(CHECK_IDLE_EACH);
        config.setNumTestsPerEvictionRun(-1);
        config.setMinEvictableIdleDuration(Duration.ofMillis(-1));
        return config;
    }

    private static ExecutorService discarder() {
        ThreadPoolExecutor executor = new ThreadPoolExecutor(
                1,
                1,
                DISCARDER_IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Connections::daemon,
                (task, closed) -> task.run()); // whoever still had a connection when the store was closed
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "stampedeguard-redis-discard");
        thread.setDaemon(true);
        return thread;
    }

    /** Makes all connections now. */
    void fill() {
        try {
            pool.addObjects(size - pool.getNumActive() - pool.getNumIdle());
        } catch (JedisException failure) {
            throw RedisFailure.toStoreException("open " + size + " connections", where, failure);
        }
    }

    /** Tells that there is no connection left, if so. */
    @Nullable
    String shortage() {
        return PoolShortage.of(pool);
    }

    /** When one idle connection is found dead, its fellows are likely to be. */
    void dropIdle() {
        pool.clear();
    }

    @Override
    public Connection getConnection() {
        return pool.getResource();
    }

    @Override
    public Connection getConnection(CommandArguments arguments) {
        return pool.getResource();
    }

    @Override
    public void close() {
        discarder.shutdown();
        pool.close();
    }
}
