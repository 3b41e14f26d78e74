package io.stampedeguard.redis;

import io.stampedeguard.redis.internal.connect.ClientFactory;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The options of a {@link RedisStore}: its connections to Redis, and the names of its keys. They contain no credentials, which
 * are part of the URI. <em>Immutable.</em>
 */
public final class RedisStoreOptions {
    private static final Duration SHORTEST_SLOW_CALL = Duration.ofMillis(150);
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

    ClientFactory.Settings clientSettings() {
        return new ClientFactory.Settings(
                values.commandTimeout,
                borrowTimeout(),
                values.maxConnections,
                values.clientName,
                values.sslContext,
                values.verifiesHostname);
    }

    /** Returns all options, but of the TLS context only whether there is one. */
    @Override
    public String toString() {
        return "RedisStoreOptions{commandTimeout=%s, maxConnections=%d, keyPrefix='%s', clientName=%s, sslContext=%s,"
                        .formatted(
                                values.commandTimeout,
                                values.maxConnections,
                                values.keyPrefix,
                                values.clientName,
                                values.sslContext == null ? "default" : "given")
                + " verifiesHostname=%s, failFast=%s}".formatted(values.verifiesHostname, values.failFast);
    }
}
