package io.stampedeguard.redis.internal.connect;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.UnifiedJedis;

/**
 * A factory for the client of a store with its own connections:
 *
 * <ol>
 *   <li>the protocol is explicit, since its detection would take a timeout on a hung server;
 *   <li>every wait is bounded;
 *   <li>connections are created when needed, up to the bound of {@link ConnectionPermits}, and closed after a minute without
 *       use, except for the last four.
 * </ol>
 *
 * <p><em>Immutable.</em>
 */
public final class ClientFactory {
    private static final Duration CHECK_IDLE_EACH = Duration.ofSeconds(30);
    private static final Duration LONGEST_IDLE = Duration.ofMinutes(1);
    private static final int LEAST_KEPT = 4;

    private final RedisUri uri;
    private final Settings settings;

    /** Creates a factory; throws an {@link IllegalArgumentException} if there is a TLS context for a URI without TLS. */
    public ClientFactory(RedisUri uri, Settings settings) {
        if (settings.sslContext() != null && !uri.tls()) {
            throw new IllegalArgumentException("the options have a TLS context, but the URI is not rediss://");
        }
        this.uri = uri;
        this.settings = settings;
    }

    public ServerPool connections() {
        return new ServerPool(uri.address(), clientConfig(""), poolConfig());
    }

    /** Creates a client, which closes its connections when it is closed. */
    public UnifiedJedis client(ServerPool connections) {
        // The public clients for a single server differ between versions of Jedis; this constructor does not.
        return new UnifiedJedis(connections, RedisProtocol.RESP2) {};
    }

    /** Creates a connection outside the pool; the client's name has the suffix. Blocks; throws what Jedis throws. */
    public Connection connection(String nameSuffix) {
        return new Connection(uri.address(), clientConfig(nameSuffix));
    }

    private GenericObjectPoolConfig<Connection> poolConfig() {
        GenericObjectPoolConfig<Connection> config = new GenericObjectPoolConfig<>();
        config.setMaxTotal(settings.maxConnections());
        config.setMaxIdle(settings.maxConnections());
        config.setMinIdle(Math.min(LEAST_KEPT, settings.maxConnections()));
        config.setMaxWait(settings.borrowTimeout());
        config.setJmxEnabled(false);
        // Idle connections are tested, so that a broken one is replaced before a caller needs it.
        config.setTestWhileIdle(true);
        config.setTimeBetweenEvictionRuns(CHECK_IDLE_EACH);
        config.setNumTestsPerEvictionRun(-1);
        config.setMinEvictableIdleDuration(Duration.ofMillis(-1));
        config.setSoftMinEvictableIdleDuration(LONGEST_IDLE);
        return config;
    }

    private JedisClientConfig clientConfig(String nameSuffix) {
        DefaultJedisClientConfig.Builder config = DefaultJedisClientConfig.builder()
                .protocol(RedisProtocol.RESP2)
                .connectionTimeoutMillis((int) settings.commandTimeout().toMillis())
                .socketTimeoutMillis((int) settings.commandTimeout().toMillis())
                .blockingSocketTimeoutMillis((int) settings.commandTimeout().toMillis())
                .user(uri.user())
                .password(uri.password())
                .database(uri.database())
                .clientName(settings.clientName() == null ? null : settings.clientName() + nameSuffix);
        if (uri.tls()) {
            useTls(config);
        }
        return config.build();
    }

    /** The replacements of these methods in Jedis take key stores only, not a context. */
    @SuppressWarnings("deprecation")
    private void useTls(DefaultJedisClientConfig.Builder config) {
        SSLParameters parameters = new SSLParameters();
        parameters.setEndpointIdentificationAlgorithm(settings.verifiesHostname() ? "HTTPS" : "");
        config.ssl(true).sslParameters(parameters).sslSocketFactory(new TlsSockets(settings.sslContext(), parameters));
    }

    /**
     * The settings of a client. The {@code clientName} is {@code null} for none, the {@code sslContext} for that of the JVM.
     * <em>Immutable.</em>
     */
    public record Settings(
            Duration commandTimeout,
            Duration borrowTimeout,
            int maxConnections,
            @Nullable String clientName,
            @Nullable SSLContext sslContext,
            boolean verifiesHostname) {}

    /**
     * A factory of TLS sockets with a completed handshake. With a handshake at the first command, a timeout would be paid twice:
     * Jedis retries it when it flushes the broken connection on closing. <em>Thread-safe.</em>
     */
    static final class TlsSockets extends SSLSocketFactory {
        private final SSLSocketFactory sockets;
        private final SSLParameters parameters;

        TlsSockets(@Nullable SSLContext context, SSLParameters parameters) {
            this.sockets =
                    context == null ? (SSLSocketFactory) SSLSocketFactory.getDefault() : context.getSocketFactory();
            this.parameters = parameters;
        }

        @Override
        public Socket createSocket(Socket connected, String host, int port, boolean autoClose) throws IOException {
            SSLSocket socket = (SSLSocket) sockets.createSocket(connected, host, port, autoClose);
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            return socket;
        }

        @Override
        public Socket createSocket(String host, int port) {
            throw unsupported();
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
            throw unsupported();
        }

        @Override
        public Socket createSocket(InetAddress host, int port) {
            throw unsupported();
        }

        @Override
        public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort) {
            throw unsupported();
        }

        private static UnsupportedOperationException unsupported() {
            return new UnsupportedOperationException("a socket is connected first, under the connect timeout");
        }

        @Override
        public String[] getDefaultCipherSuites() {
            return sockets.getDefaultCipherSuites();
        }

        @Override
        public String[] getSupportedCipherSuites() {
            return sockets.getSupportedCipherSuites();
        }
    }
}
