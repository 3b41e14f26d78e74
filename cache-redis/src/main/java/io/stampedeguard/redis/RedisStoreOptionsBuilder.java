package io.stampedeguard.redis;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.RedisProtocol;

/** A builder of {@link RedisStoreOptions}. <em>Not thread-safe.</em> */
public final class RedisStoreOptionsBuilder {
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofMinutes(1);

    Duration connectTimeout = Duration.ofSeconds(1);
    Duration commandTimeout = Duration.ofSeconds(1);
    Duration borrowTimeout = Duration.ofSeconds(2);
    int maxConnections = 64;
    String keyPrefix = "";
    RedisProtocol protocol = RedisProtocol.RESP2;

    @Nullable
    String clientName;

    @Nullable
    SSLContext sslContext;

    boolean verifiesHostname = true;
    boolean failFast;
    boolean circuitBreaker = true;
    Duration breakerSlowCall = Duration.ofMillis(150);
    boolean combineReads = true;

    RedisStoreOptionsBuilder() {}

    RedisStoreOptionsBuilder copy() {
        RedisStoreOptionsBuilder copy = new RedisStoreOptionsBuilder();
        copy.connectTimeout = connectTimeout;
        copy.commandTimeout = commandTimeout;
        copy.borrowTimeout = borrowTimeout;
        copy.maxConnections = maxConnections;
        copy.keyPrefix = keyPrefix;
        copy.protocol = protocol;
        copy.clientName = clientName;
        copy.sslContext = sslContext;
        copy.verifiesHostname = verifiesHostname;
        copy.failFast = failFast;
        copy.circuitBreaker = circuitBreaker;
        copy.breakerSlowCall = breakerSlowCall;
        copy.combineReads = combineReads;
        return copy;
    }

    /**
     * Sets how long to wait for a connection to be made; one second if not set.
     *
     * @param timeout 1 ms to 1 min
     * @return this builder
     */
    public RedisStoreOptionsBuilder connectTimeout(Duration timeout) {
        connectTimeout = requireNonNull(timeout, "connectTimeout");
        return this;
    }

    /**
     * Sets how long to wait for the answer to a command; one second if not set. A stalled server costs a caller this once.
     *
     * @param timeout 1 ms to 1 min
     * @return this builder
     */
    public RedisStoreOptionsBuilder commandTimeout(Duration timeout) {
        commandTimeout = requireNonNull(timeout, "commandTimeout");
        return this;
    }

    /**
     * Sets how long a command waits for a connection while all are in use; two seconds if not set. A {@code get} waits
     * for up to the cache's {@code waitTimeout} instead.
     *
     * @param timeout 1 ms to 1 min
     * @return this builder
     */
    public RedisStoreOptionsBuilder borrowTimeout(Duration timeout) {
        borrowTimeout = requireNonNull(timeout, "borrowTimeout");
        return this;
    }

    /**
     * Sets how many connections the store uses at once; 64 if not set. They are opened when needed, and closed after a minute
     * without use. Further callers queue; they wait least with one connection per concurrent caller, up to a few hundred.
     * Publishing and renewing take precedence. One more connection is open while callers wait for other processes.
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
     * Sets the protocol; RESP2 if not set. The connection for lease notifications speaks RESP3 in any case, if the
     * server permits it.
     *
     * @param redisProtocol RESP2 or RESP3
     * @return this builder
     */
    public RedisStoreOptionsBuilder protocol(RedisProtocol redisProtocol) {
        protocol = requireNonNull(redisProtocol, "protocol");
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

    /**
     * Sets whether the store has a circuit breaker; {@code true} if not set. It opens when two of four consecutive requests got
     * no answer, or when the server was slow four times in a row ({@link #breakerSlowCall}). While it is open, requests fail at
     * once instead of waiting for a timeout, and the cache answers as if Redis is down. Probes in the background close it within
     * about a second of the server's recovery.
     *
     * @param breaks whether to have one
     * @return this builder
     */
    public RedisStoreOptionsBuilder circuitBreaker(boolean breaks) {
        circuitBreaker = breaks;
        return this;
    }

    /**
     * Sets by how much a {@code PING} must exceed the fastest answer so far for the circuit breaker to count it as slow; 150 ms
     * if not set. Raise it if Redis is to be used however slow it is, for instance after a failover to another region.
     *
     * @param beyondFastest 1 ms to 1 min
     * @return this builder
     */
    public RedisStoreOptionsBuilder breakerSlowCall(Duration beyondFastest) {
        breakerSlowCall = requireNonNull(beyondFastest, "breakerSlowCall");
        return this;
    }

    /**
     * Sets whether concurrent reads are combined; {@code true} if not set. A few reads at once are sent individually. When there
     * are more, waiting callers join the next batch, which is one {@code MGET}, or one pipeline to a master of a cluster. No
     * caller is answered by a batch that was sent before its call, or waits for longer than five milliseconds for a batch to
     * join.
     *
     * @param combines whether to combine them
     * @return this builder
     */
    public RedisStoreOptionsBuilder combineReads(boolean combines) {
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
        inRange("connectTimeout", connectTimeout);
        inRange("commandTimeout", commandTimeout);
        inRange("borrowTimeout", borrowTimeout);
        inRange("breakerSlowCall", breakerSlowCall);
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

    private static void inRange(String name, Duration value) {
        require(
                value.compareTo(SHORTEST) >= 0 && value.compareTo(LONGEST) <= 0,
                name + " " + value + " is not between " + SHORTEST + " and " + LONGEST);
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
