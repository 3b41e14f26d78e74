package io.stampedeguard.redis;

import io.stampedeguard.redis.internal.connect.ClientFactory;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The options of a {@link RedisStore}: its connections to Redis, and the names of its keys. They contain no credentials, at most
 * where these come from. <em>Immutable.</em>
 */
public final class RedisStoreOptions {
    private static final Duration SHORTEST_SLOW_CALL = Duration.ofMillis(150);
    private static final RedisStoreOptions DEFAULTS = builder().build();

    private final RedisStoreBuilder values;

    RedisStoreOptions(RedisStoreBuilder values) {
        this.values = values;
    }

    /** {@return the default options; {@link RedisStoreBuilder} documents each} */
    public static RedisStoreOptions defaults() {
        return DEFAULTS;
    }

    /** {@return a new builder with the default options} */
    public static RedisStoreBuilder builder() {
        return new RedisStoreBuilder();
    }

    /** {@return a new builder with these options} */
    public RedisStoreBuilder toBuilder() {
        return values.copy();
    }

    /** Returns how long a command without a deadline waits for a free connection. */
    Duration borrowTimeout() {
        return values.commandTimeout.multipliedBy(2);
    }

    String keyPrefix() {
        return values.keyPrefix;
    }

    /** Returns by how much a slow answer takes longer than the fastest one; {@code null} without a circuit breaker. */
    @Nullable
    Duration slowCall() {
        if (!values.circuitBreaker || isOff("circuitBreaker")) {
            return null;
        }
        Duration share = values.commandTimeout.multipliedBy(3).dividedBy(20);
        return share.compareTo(SHORTEST_SLOW_CALL) < 0 ? SHORTEST_SLOW_CALL : share;
    }

    boolean combineReads() {
        return values.combineReads && !isOff("combineReads");
    }

    /** Returns whether a system property switches something off, which no application should do: benchmarks compare with it. */
    private static boolean isOff(String what) {
        return "false".equals(System.getProperty("io.stampedeguard.redis." + what));
    }

    boolean failFast() {
        return values.failFast;
    }

    /** Throws an {@link IllegalArgumentException} if what protects connections would be ignored, as a client has its own. */
    void requireNothingOfConnections() {
        if (values.credentials != null
                || values.sentinelCredentials != null
                || values.sslContext != null
                || values.sslParameters != null) {
            throw new IllegalArgumentException(
                    "the options have credentials, sentinelCredentials, sslContext, or sslParameters, and the client connects"
                            + " without them: set them where the client is built");
        }
    }

    ClientFactory.Settings clientSettings() {
        return new ClientFactory.Settings(
                values.commandTimeout,
                borrowTimeout(),
                values.maxConnections,
                values.clientName,
                values.credentials,
                values.sentinelCredentials,
                values.sslContext,
                values.sslParameters,
                values.verifiesHostname);
    }

    /** Returns the options, but of credentials and the TLS context only whether they are given. */
    @Override
    public String toString() {
        return "RedisStoreOptions{commandTimeout=" + values.commandTimeout + ", maxConnections=" + values.maxConnections
                + ", keyPrefix='" + values.keyPrefix + "', clientName=" + values.clientName + ", credentials="
                + (values.credentials == null ? "of the URI" : "given") + ", sslContext="
                + (values.sslContext == null ? "default" : "given") + ", verifiesHostname=" + values.verifiesHostname
                + ", failFast=" + values.failFast + "}";
    }
}
