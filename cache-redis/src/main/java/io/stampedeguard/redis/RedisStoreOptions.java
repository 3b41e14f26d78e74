package io.stampedeguard.redis;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.redis.internal.connect.ClientFactory;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.RedisProtocol;

/**
 * The options of a {@link RedisStore}: its connections to Redis, and the names of its keys. They contain no credentials, which
 * are part of the URI.
 * <em>Immutable.</em>
 */
public final class RedisStoreOptions {
    private static final RedisStoreOptions DEFAULTS = builder().build();

    private final Builder values;

    private RedisStoreOptions(Builder values) {
        this.values = values;
    }

    /**
     * Returns the default options; {@link Builder} documents each.
     *
     * @return the default options
     */
    public static RedisStoreOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Returns a new builder with the default options.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Returns a new builder with these options.
     *
     * @return a new builder
     */
    public Builder toBuilder() {
        return values.copy();
    }

    Duration borrowTimeout() {
        return values.borrowTimeout;
    }

    String keyPrefix() {
        return values.keyPrefix;
    }

    InvalidationMode invalidationMode() {
        return values.invalidationMode;
    }

    boolean failFast() {
        return values.failFast;
    }

    ClientFactory.Settings clientSettings() {
        return new ClientFactory.Settings(
                values.connectTimeout,
                values.commandTimeout,
                values.borrowTimeout,
                values.maxConnections,
                values.protocol,
                values.clientName,
                values.sslContext,
                values.verifiesHostname);
    }

    /** Returns all options, but of the TLS context only whether there is one. */
    @Override
    public String toString() {
        return "RedisStoreOptions{connectTimeout=%s, commandTimeout=%s, borrowTimeout=%s, maxConnections=%d,"
                        .formatted(
                                values.connectTimeout,
                                values.commandTimeout,
                                values.borrowTimeout,
                                values.maxConnections)
                + " keyPrefix='%s', protocol=%s, invalidationMode=%s, clientName=%s, sslContext=%s, verifiesHostname=%s, failFast=%s}"
                        .formatted(
                                values.keyPrefix,
                                values.protocol,
                                values.invalidationMode,
                                values.clientName,
                                values.sslContext == null ? "default" : "given",
                                values.verifiesHostname,
                                values.failFast);
    }

    /** Collects the options and checks them once. <em>Not thread-safe.</em> */
    public static final class Builder {
        private static final Duration SHORTEST = Duration.ofMillis(1);
        private static final Duration LONGEST = Duration.ofMinutes(1);

        private Duration connectTimeout = Duration.ofSeconds(1);
        private Duration commandTimeout = Duration.ofSeconds(1);
        private Duration borrowTimeout = Duration.ofSeconds(2);
        private int maxConnections = 64;
        private String keyPrefix = "";
        private RedisProtocol protocol = RedisProtocol.RESP2;
        private InvalidationMode invalidationMode = InvalidationMode.PUBLISHED;
        private @Nullable String clientName;
        private @Nullable SSLContext sslContext;
        private boolean verifiesHostname = true;
        private boolean failFast;

        private Builder() {}

        private Builder copy() {
            Builder copy = new Builder();
            copy.connectTimeout = connectTimeout;
            copy.commandTimeout = commandTimeout;
            copy.borrowTimeout = borrowTimeout;
            copy.maxConnections = maxConnections;
            copy.keyPrefix = keyPrefix;
            copy.protocol = protocol;
            copy.invalidationMode = invalidationMode;
            copy.clientName = clientName;
            copy.sslContext = sslContext;
            copy.verifiesHostname = verifiesHostname;
            copy.failFast = failFast;
            return copy;
        }

        /**
         * Sets how long to wait for a connection to be made; one second if not set.
         *
         * @param timeout 1 ms to 1 min
         * @return this builder
         */
        public Builder connectTimeout(Duration timeout) {
            connectTimeout = requireNonNull(timeout, "connectTimeout");
            return this;
        }

        /**
         * Sets how long to wait for the answer to a command; one second if not set. A stalled server costs a caller
         * this once.
         *
         * @param timeout 1 ms to 1 min
         * @return this builder
         */
        public Builder commandTimeout(Duration timeout) {
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
        public Builder borrowTimeout(Duration timeout) {
            borrowTimeout = requireNonNull(timeout, "borrowTimeout");
            return this;
        }

        /**
         * Sets how many connections the store uses at once; 64 if not set. They are opened when they are needed, and closed
         * after a minute without use. Callers beyond that number wait for their turn: as many connections as there are callers
         * at the same time cost them the least, up to a few hundred. Publishing and renewing comes first. One more is open
         * while callers wait for other processes.
         *
         * @param connections at least 1, at most 10,000
         * @return this builder
         */
        public Builder maxConnections(int connections) {
            maxConnections = connections;
            return this;
        }

        /**
         * Sets what stands before each Redis key, to share a server with others; nothing if not set.
         *
         * @param prefix without braces, which are the hash tag of Redis Cluster
         * @return this builder
         */
        public Builder keyPrefix(String prefix) {
            keyPrefix = requireNonNull(prefix, "keyPrefix");
            return this;
        }

        /**
         * Sets the protocol; RESP2 if not set, as the store has no use for what RESP3 adds.
         *
         * @param redisProtocol RESP2 or RESP3
         * @return this builder
         */
        public Builder protocol(RedisProtocol redisProtocol) {
            protocol = requireNonNull(redisProtocol, "protocol");
            return this;
        }

        /**
         * Sets how the store is notified of changes, for near caches; {@link InvalidationMode#PUBLISHED} if not set. Processes
         * of one fleet may differ in it.
         *
         * @param mode published by the stores, or tracked by Redis
         * @return this builder
         */
        public Builder invalidationMode(InvalidationMode mode) {
            invalidationMode = requireNonNull(mode, "invalidationMode");
            return this;
        }

        /**
         * Sets the name by which {@code CLIENT LIST} shows the connections; none if not set. The one on which the store is
         * told of the ends of leases shows it with {@code -notices} behind, the one for changes with {@code -changes}.
         *
         * @param name without blanks; an ACL user needs the right to {@code CLIENT SETNAME}
         * @return this builder
         */
        public Builder clientName(String name) {
            clientName = requireNonNull(name, "clientName");
            return this;
        }

        /**
         * Sets whom {@code rediss://} trusts and what it shows of itself; the JVM's trust store if not set.
         *
         * @param context an initialised context
         * @return this builder
         */
        public Builder sslContext(SSLContext context) {
            sslContext = requireNonNull(context, "sslContext");
            return this;
        }

        /**
         * Sets whether {@link RedisStore#connect(String, RedisStoreOptions)} throws when the server does not answer;
         * {@code false} if not set: then it is a warning in the log, and the store works as soon as the server does.
         *
         * @param fails whether to throw
         * @return this builder
         */
        public Builder failFast(boolean fails) {
            failFast = fails;
            return this;
        }

        /**
         * Accepts any trusted certificate from any server. If not called, the certificate must name the URI's host.
         *
         * @return this builder
         */
        public Builder withoutHostnameVerification() {
            verifiesHostname = false;
            return this;
        }

        /**
         * Checks the options.
         *
         * @return the options; this builder may go on
         * @throws IllegalArgumentException if an option is out of its range, or does not go with another
         */
        public RedisStoreOptions build() {
            inRange("connectTimeout", connectTimeout);
            inRange("commandTimeout", commandTimeout);
            inRange("borrowTimeout", borrowTimeout);
            require(
                    maxConnections >= 1 && maxConnections <= 10_000,
                    "maxConnections " + maxConnections + " is not between 1 and 10000");
            require(
                    keyPrefix.indexOf('{') < 0 && keyPrefix.indexOf('}') < 0,
                    "keyPrefix '" + keyPrefix + "' has a brace, which is the hash tag of Redis Cluster");
            require(
                    clientName == null || clientName.matches("[!-~]+"),
                    "clientName '" + clientName + "' is not of visible ASCII characters");
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
}
