package io.stampedeguard.redis;

import io.stampedeguard.redis.internal.connect.ClientFactory;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The options of a {@link RedisStore}: its connections to Redis, and the names of its keys. They contain no credentials, which
 * are part of the URI. <em>Immutable.</em>
 */
public final class RedisStoreOptions {
    private static final RedisStoreOptions DEFAULTS = builder().build();

    private final RedisStoreOptionsBuilder values;

    RedisStoreOptions(RedisStoreOptionsBuilder values) {
        this.values = values;
    }

    /** {@return the default options; {@link RedisStoreOptionsBuilder} documents each} */
    public static RedisStoreOptions defaults() {
        return DEFAULTS;
    }

    /** {@return a new builder with the default options} */
    public static RedisStoreOptionsBuilder builder() {
        return new RedisStoreOptionsBuilder();
    }

    /** {@return a new builder with these options} */
    public RedisStoreOptionsBuilder toBuilder() {
        return values.copy();
    }

    Duration borrowTimeout() {
        return values.borrowTimeout;
    }

    String keyPrefix() {
        return values.keyPrefix;
    }

    /** Returns by how much a slow answer takes longer than the fastest one; {@code null} without a circuit breaker. */
    @Nullable
    Duration breakerSlowCall() {
        return values.circuitBreaker ? values.breakerSlowCall : null;
    }

    boolean combineReads() {
        return values.combineReads;
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
                + " keyPrefix='%s', protocol=%s, clientName=%s, sslContext=%s, verifiesHostname=%s, failFast=%s,"
                        .formatted(
                                values.keyPrefix,
                                values.protocol,
                                values.clientName,
                                values.sslContext == null ? "default" : "given",
                                values.verifiesHostname,
                                values.failFast)
                + " circuitBreaker=%s, breakerSlowCall=%s, combineReads=%s}"
                        .formatted(values.circuitBreaker, values.breakerSlowCall, values.combineReads);
    }
}
