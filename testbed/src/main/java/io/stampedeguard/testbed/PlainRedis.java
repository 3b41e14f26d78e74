package io.stampedeguard.testbed;

import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.Pool;

/** Bare Jedis clients and connections: for comparisons, and for tests that administer or observe a server. */
public final class PlainRedis {
    private static final int DEFAULT_PORT = 6379;
    private static final Duration LONGEST_QUEUE = Duration.ofSeconds(10);

    /** Longer than any stall of a busy machine: it only means that the server hangs. */
    private static final int HANGS_AFTER_MILLIS = 60_000;

    private PlainRedis() {}

    /**
     * Opens a connection for a test that administers or observes a server, whose time is not its subject.
     *
     * @return the connection, to be closed; it waits for up to a minute for an answer
     */
    public static Jedis admin(String host, int port) {
        return new Jedis(new HostAndPort(host, port), patient(DefaultJedisClientConfig.builder()));
    }

    /** Opens a connection as {@link #admin(String, int)} does. */
    public static Jedis admin(String address) {
        URI uri = URI.create(address);
        return new Jedis(hostAndPort(uri), patient(DefaultJedisClientConfig.builder(uri)));
    }

    /**
     * Creates a client with the pool of Jedis' defaults, whose connections wait for an answer as those of {@link #admin(String,
     * int)} do.
     */
    public static RedisClient client(String address) {
        URI uri = URI.create(address);
        return RedisClient.builder()
                .hostAndPort(hostAndPort(uri))
                .clientConfig(patient(DefaultJedisClientConfig.builder(uri)))
                .build();
    }

    /**
     * Connects, with a pool that is filled immediately.
     *
     * @param connections the size of the pool; if all connections are in use, a caller waits for up to 10 s
     * @throws JedisException if the server refuses connections, or accepts none within a minute; no connection is left
     */
    public static RedisClient connect(String address, int connections) {
        URI uri = URI.create(address);
        return connect(uri, connections, DefaultJedisClientConfig.builder(uri), LONGEST_QUEUE);
    }

    /**
     * Connects as {@link #connect(String, int)} does, for callers whose timeouts are not the subject: each waits for up to a minute
     * for a connection and for an answer.
     *
     * @throws JedisException if the server refuses connections, or accepts none within a minute; no connection is left
     */
    public static RedisClient connectPatiently(String address, int connections) {
        return connectPatiently(address, connections, Duration.ofMillis(HANGS_AFTER_MILLIS));
    }

    /** The same, if callers wait for a connection for another time. */
    public static RedisClient connectPatiently(String address, int connections, Duration longestQueue) {
        URI uri = URI.create(address);
        return connect(
                uri,
                connections,
                DefaultJedisClientConfig.builder(uri).timeoutMillis(HANGS_AFTER_MILLIS),
                longestQueue);
    }

    private static RedisClient connect(
            URI uri, int connections, DefaultJedisClientConfig.Builder settings, Duration longestQueue) {
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(connections);
        pool.setMaxIdle(connections);
        pool.setMinIdle(connections);
        pool.setMaxWait(longestQueue);
        RedisClient client = RedisClient.builder()
                .hostAndPort(hostAndPort(uri))
                .clientConfig(settings.resp2().build())
                .poolConfig(pool)
                .build();
        return filled(client, connections);
    }

    /** No protocol is negotiated: Jedis would log a warning, which tests count, and a server without a default user refuses. */
    private static JedisClientConfig patient(DefaultJedisClientConfig.Builder settings) {
        return settings.timeoutMillis(HANGS_AFTER_MILLIS)
                .serverDefaultProtocol()
                .build();
    }

    private static HostAndPort hostAndPort(URI uri) {
        return new HostAndPort(uri.getHost(), uri.getPort() == -1 ? DEFAULT_PORT : uri.getPort());
    }

    /** Otherwise each retry of a caller would leave a pool behind until the server answers. */
    private static RedisClient filled(RedisClient client, int connections) {
        try {
            fill(client.getPool(), connections);
            return client;
        } catch (RuntimeException e) {
            client.close();
            throw e;
        }
    }

    /**
     * Many processes that connect at once, on a machine without a free processor, take longer than Jedis waits for each answer. The
     * connections that were made stay, so that the others are made next; there is no patience with a server that refuses
     * them, and a minute for one that hangs.
     */
    private static void fill(Pool<Connection> pool, int connections) {
        long begun = System.nanoTime();
        while (pool.getNumIdle() < connections) {
            try {
                pool.addObjects(connections - pool.getNumIdle());
            } catch (JedisException e) {
                if (!isSlow(e) || System.nanoTime() - begun > TimeUnit.MILLISECONDS.toNanos(HANGS_AFTER_MILLIS)) {
                    throw e;
                }
            }
        }
    }

    private static boolean isSlow(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof SocketTimeoutException || (cause != null && isSlow(cause));
    }
}
