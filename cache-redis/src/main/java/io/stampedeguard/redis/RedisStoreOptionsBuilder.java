package io.stampedeguard.redis;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** A builder of {@link RedisStoreOptions}. <em>Not thread-safe.</em> */
public final class RedisStoreOptionsBuilder {
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofMinutes(1);

    Duration commandTimeout = Duration.ofSeconds(1);
    int maxConnections = 64;
    String keyPrefix = "";

    @Nullable
    String clientName;

    @Nullable
    SSLContext sslContext;

    boolean verifiesHostname = true;
    boolean failFast;
    boolean circuitBreaker = true;
    boolean combineReads = true;

    RedisStoreOptionsBuilder() {}

    RedisStoreOptionsBuilder copy() {
        RedisStoreOptionsBuilder copy = new RedisStoreOptionsBuilder();
        copy.commandTimeout = commandTimeout;
        copy.maxConnections = maxConnections;
        copy.keyPrefix = keyPrefix;
        copy.clientName = clientName;
        copy.sslContext = sslContext;
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
    public RedisStoreOptionsBuilder commandTimeout(Duration timeout) {
        commandTimeout = requireNonNull(timeout, "commandTimeout");
        return this;
    }

    /**
     * Sets how many connections the store uses at once; 64 if not set. They are opened when needed, and closed after a minute
     * without use. Further callers queue; they wait least with one connection per concurrent caller, up to a few hundred.
     * Renewing and publishing do not wait for them: on a single server, up to 8 more connections are opened for these if needed. One
     * more connection is open while callers wait for other processes.
     *
     * @param connections at least 1, at most 10,000
     * @return this builder
     */
    public RedisStoreOptionsBuilder maxConnections(int connections) {
        maxConnections = connections;
        return this;
    }

    /**
     * Sets the prefix of all Redis keys, for a server that is shared with others; empty if not set.
     *
     * @param prefix without braces, which are the hash tag of Redis Cluster
     * @return this builder
     */
    public RedisStoreOptionsBuilder keyPrefix(String prefix) {
        keyPrefix = requireNonNull(prefix, "keyPrefix");
        return this;
    }

    /**
     * Sets the name by which {@code CLIENT LIST} shows the connections; none if not set. The connection for lease notifications
     * appends {@code -notices}, the one for changes {@code -changes}.
     *
     * @param name without blanks; an ACL user needs the permission for {@code CLIENT SETNAME}
     * @return this builder
     */
    public RedisStoreOptionsBuilder clientName(String name) {
        clientName = requireNonNull(name, "clientName");
        return this;
    }

    /**
     * Sets the TLS context of {@code rediss://}: trusted and client certificates; the JVM's trust store if not set.
     *
     * @param context an initialised context
     * @return this builder
     */
    public RedisStoreOptionsBuilder sslContext(SSLContext context) {
        sslContext = requireNonNull(context, "sslContext");
        return this;
    }

    /**
     * Sets whether {@link RedisStore#connect(String, RedisStoreOptions)} throws if the server does not answer; {@code false} if
     * not set: then the log contains a warning, and the store works as soon as the server does.
     *
     * @param fails whether to throw
     * @return this builder
     */
    public RedisStoreOptionsBuilder failFast(boolean fails) {
        failFast = fails;
        return this;
    }

    /** For tests: without a circuit breaker, each request finds out by itself whether the server answers. */
    RedisStoreOptionsBuilder circuitBreaker(boolean breaks) {
        circuitBreaker = breaks;
        return this;
    }

    /** For tests: without it, each caller sends commands of its own, changes as well as reads. */
    RedisStoreOptionsBuilder combineReads(boolean combines) {
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
    public RedisStoreOptionsBuilder verifyHostname(boolean verifies) {
        verifiesHostname = verifies;
        return this;
    }

    /**
     * Creates the options. This builder can still be used afterwards.
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
