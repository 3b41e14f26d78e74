package io.stampedeguard.redis;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.RedisCredentials;
import redis.clients.jedis.UnifiedJedis;

/**
 * A builder of stores on any Redis, each with the options set before; it can still be used afterwards:
 * <pre>{@code
 * RedisStore store = RedisStore.builder()
 *         .credentials(() -> new DefaultRedisCredentials("shop", tokens.newest()))
 *         .connect("rediss-cluster://redis-1.example.com,redis-2.example.com");
 * }</pre>
 *
 * <em>Not thread-safe.</em>
 */
public final class RedisStoreBuilder {
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofMinutes(1);

    Duration commandTimeout = Duration.ofSeconds(1);
    int maxConnections = 64;
    String keyPrefix = "";

    @Nullable
    String clientName;

    @Nullable
    Supplier<RedisCredentials> credentials;

    @Nullable
    Supplier<RedisCredentials> sentinelCredentials;

    @Nullable
    SSLContext sslContext;

    @Nullable
    SSLParameters sslParameters;

    boolean verifiesHostname = true;
    boolean failFast;
    boolean circuitBreaker = true;
    boolean combineReads = true;

    RedisStoreBuilder() {}

    RedisStoreBuilder copy() {
        RedisStoreBuilder copy = new RedisStoreBuilder();
        copy.commandTimeout = commandTimeout;
        copy.maxConnections = maxConnections;
        copy.keyPrefix = keyPrefix;
        copy.clientName = clientName;
        copy.credentials = credentials;
        copy.sentinelCredentials = sentinelCredentials;
        copy.sslContext = sslContext;
        copy.sslParameters = sslParameters;
        copy.verifiesHostname = verifiesHostname;
        copy.failFast = failFast;
        copy.circuitBreaker = circuitBreaker;
        copy.combineReads = combineReads;
        return copy;
    }

    /**
     * Sets how long to wait for the answer to a command, and for a new connection; one second if not set. A stalled server costs a
     * caller this once. Two limits follow from it, also if the store uses a client of the application:
     *
     * <ul>
     *   <li>A command waits up to twice as long for a free connection while all are in use. A {@code get} waits for up to the cache's
     *       {@code waitTimeout} instead.
     *   <li>The circuit breaker counts a {@code PING} as slow if it takes 15 % of this time longer than the fastest answer so far, at
     *       least 150 ms. Raise the timeout if Redis is to be used however slow it is, for instance after a failover to another
     *       region.
     * </ul>
     *
     * <p>The circuit breaker opens when two of four consecutive requests got no answer, or when the server was slow four times in a
     * row. While it is open, requests fail at once instead of waiting for a timeout, and the cache answers as if Redis is down. Probes
     * in the background close it within about a second of the server's recovery.
     *
     * @param timeout 1 ms to 1 min
     * @return this builder
     */
    public RedisStoreBuilder commandTimeout(Duration timeout) {
        commandTimeout = requireNonNull(timeout, "commandTimeout");
        return this;
    }

    /**
     * Sets how many connections the store uses at once, on Redis Cluster to each master; 64 if not set. They are opened when needed,
     * and closed after a minute without use. Further callers queue; they wait least with one connection per concurrent caller, up to a few hundred.
     * Renewing and publishing do not wait for them: on a single server, up to 8 more connections are opened for these if needed. One
     * more connection is open while callers wait for other processes.
     *
     * @param connections at least 1, at most 10,000
     * @return this builder
     */
    public RedisStoreBuilder maxConnections(int connections) {
        maxConnections = connections;
        return this;
    }

    /**
     * Sets the prefix of all Redis keys, for a server that is shared with others; empty if not set.
     *
     * @param prefix without braces, which are the hash tag of Redis Cluster
     * @return this builder
     */
    public RedisStoreBuilder keyPrefix(String prefix) {
        keyPrefix = requireNonNull(prefix, "keyPrefix");
        return this;
    }

    /**
     * Sets the name by which {@code CLIENT LIST} shows the connections; none if not set. On a single server, the connection for lease
     * notifications appends {@code -notices}, the one for changes {@code -changes}.
     *
     * @param name without blanks; an ACL user needs the permission for {@code CLIENT SETNAME}
     * @return this builder
     */
    public RedisStoreBuilder clientName(String name) {
        clientName = requireNonNull(name, "clientName");
        return this;
    }

    /**
     * Sets where the user and the password come from, instead of the URI, for tokens that expire. Each new connection authenticates
     * with the current ones, and so do the connections for notifications within two seconds: return a new token some seconds before
     * the server ends connections for the former one. Other connections that it ends are replaced when they are needed next.
     *
     * @param provider called for each new connection, and about each second for each one for notifications, by several threads; it
     *     should return at once, from memory. If it throws, there is no new connection
     * @return this builder
     */
    public RedisStoreBuilder credentials(Supplier<RedisCredentials> provider) {
        credentials = requireNonNull(provider, "credentials");
        return this;
    }

    /**
     * Sets the user and the password for Sentinels; none if not set: those of the URI, or of {@link #credentials}, are for the master.
     *
     * @param provider called for each new connection to a Sentinel
     * @return this builder
     */
    public RedisStoreBuilder sentinelCredentials(Supplier<RedisCredentials> provider) {
        sentinelCredentials = requireNonNull(provider, "sentinelCredentials");
        return this;
    }

    /**
     * Sets the TLS context of {@code rediss://}: trusted and client certificates; the JVM's trust store if not set.
     *
     * @param context an initialised context
     * @return this builder
     */
    public RedisStoreBuilder sslContext(SSLContext context) {
        sslContext = requireNonNull(context, "sslContext");
        return this;
    }

    /**
     * Sets the TLS parameters, such as protocols and cipher suites; the TLS context's if not set.
     *
     * @param parameters not to be changed afterwards; how a server is identified depends on {@link #verifyHostname} only
     * @return this builder
     */
    public RedisStoreBuilder sslParameters(SSLParameters parameters) {
        sslParameters = requireNonNull(parameters, "sslParameters");
        return this;
    }

    /**
     * Sets whether {@link #connect} throws if the server does not answer; {@code false} if not set: then the log contains a warning,
     * and the store works as soon as the server does. With Sentinel or Cluster, a server of the URI has to answer in any case, or it
     * is unknown where the masters are.
     *
     * @param fails whether to throw
     * @return this builder
     */
    public RedisStoreBuilder failFast(boolean fails) {
        failFast = fails;
        return this;
    }

    /**
     * For tests: without a circuit breaker, each request finds out by itself whether the server answers. Those of a cluster's masters
     * stay, and take no answer for slow.
     */
    RedisStoreBuilder circuitBreaker(boolean breaks) {
        circuitBreaker = breaks;
        return this;
    }

    /** For tests: without it, each caller sends commands of its own, changes as well as reads. */
    RedisStoreBuilder combineReads(boolean combines) {
        combineReads = combines;
        return this;
    }

    /**
     * Sets whether the server's certificate must name the URI's host; {@code true} if not set. With {@code false}, any trusted
     * certificate is accepted from any server.
     *
     * @param verifies whether to verify it
     * @return this builder
     */
    public RedisStoreBuilder verifyHostname(boolean verifies) {
        verifiesHostname = verifies;
        return this;
    }

    /**
     * Connects to Redis with these options; throws the exceptions of {@link RedisStore#connect(String, RedisStoreOptions)} as well.
     *
     * @param uri in a form of {@link RedisStore#connect(String)}
     * @return a new store, to be closed
     * @throws IllegalArgumentException if an option is out of its range
     */
    public RedisStore connect(String uri) {
        return RedisStore.connect(uri, build());
    }

    /**
     * Creates the options alone, for {@link RedisStore#using(UnifiedJedis, RedisStoreOptions)}.
     *
     * @return the options
     * @throws IllegalArgumentException if an option is out of its range
     */
    public RedisStoreOptions build() {
        require(
                commandTimeout.compareTo(SHORTEST) >= 0 && commandTimeout.compareTo(LONGEST) <= 0,
                "commandTimeout " + commandTimeout + " is not between " + SHORTEST + " and " + LONGEST);
        require(
                maxConnections >= 1 && maxConnections <= 10_000,
                "maxConnections " + maxConnections + " is not between 1 and 10000");
        require(
                keyPrefix.indexOf('{') < 0 && keyPrefix.indexOf('}') < 0,
                "keyPrefix '" + keyPrefix + "' contains a brace, which marks a hash tag in Redis Cluster");
        require(
                clientName == null || clientName.matches("[!-~]+"),
                "clientName '" + clientName + "' contains characters other than visible ASCII");
        return new RedisStoreOptions(copy());
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
