package io.stampedeguard.redis.internal.connect;

import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.RedisProtocol;

/**
 * How a client connects to a server. <em>Immutable.</em>
 *
 * @param borrowTimeout how long a command waits for a connection while all are in use
 * @param clientName as {@code CLIENT LIST} shows it; {@code null} for none
 * @param sslContext for TLS; {@code null} for that of the JVM
 */
public record ClientSettings(
        Duration connectTimeout,
        Duration commandTimeout,
        Duration borrowTimeout,
        int maxConnections,
        RedisProtocol protocol,
        @Nullable String clientName,
        @Nullable SSLContext sslContext,
        boolean verifiesHostname) {}
