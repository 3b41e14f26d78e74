package io.stampedeguard.redis.internal.connect;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.JedisCluster;
import redis.clients.jedis.RedisCredentials;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.providers.ConnectionProvider;
import redis.clients.jedis.providers.SentineledConnectionProvider;

/**
 * A factory for the client of a store with its own connections:
 *
 * <ol>
 *   <li>the protocol is explicit, since its detection would take a timeout on a hung server;
 *   <li>every wait is bounded;
 *   <li>connections are created when needed, up to the bound of {@link ConnectionPermits}, and closed after a minute without
 *       use, except for the last four to a single server or the master that Sentinels name.
 * </ol>
 *
 * <p><em>Immutable.</em>
 */
public final class ClientFactory {
    private static final Duration CHECK_IDLE_EACH = Duration.ofSeconds(30);
    private static final Duration LONGEST_IDLE = Duration.ofMinutes(1);
    private static final int LEAST_KEPT = 4;
    private static final int REDIRECTIONS = 5;

    private final RedisUri uri;
    private final Settings settings;

    /** Creates a factory; throws an {@link IllegalArgumentException} if a setting does not fit the URI. */
    public ClientFactory(RedisUri uri, Settings settings) {
        refuse(!uri.tls() && settings.sslContext() != null, "sslContext, but the URI is not rediss://");
        refuse(!uri.tls() && settings.sslParameters() != null, "sslParameters, but the URI is not rediss://");
        refuse(
                uri.password() != null && settings.credentials() != null,
                "credentials, but the URI has a password as well");
        refuse(
                uri.kind() != RedisUri.Kind.SENTINEL && settings.sentinelCredentials() != null,
                "sentinelCredentials, but the URI is not redis-sentinel://");
        this.uri = uri;
        this.settings = settings;
    }

    private static void refuse(boolean holds, String why) {
        if (holds) {
            throw new IllegalArgumentException("the options have " + why);
        }
    }

    /**
     * Creates a client, which closes its connections when it is closed. For a single server, sends nothing; otherwise asks the
     * servers of the URI where the masters are. Blocks; throws what Jedis throws.
     */
    public UnifiedJedis client() {
        return switch (uri.kind()) {
            case SERVER -> client(new ServerPool(uri.address(), clientConfig(""), poolConfig(LEAST_KEPT)));
            case SENTINEL ->
                client(new SentineledConnectionProvider(
                        uri.master(),
                        clientConfig(""),
                        poolConfig(LEAST_KEPT),
                        uri.addresses(),
                        config(settings.sentinelCredentials()).build()));
            case CLUSTER -> clusterClient();
        };
    }

    private static UnifiedJedis client(ConnectionProvider connections) {
        // The public clients for a single server differ between versions of Jedis; this constructor does not.
        return new UnifiedJedis(connections, RedisProtocol.RESP2) {};
    }

    @SuppressWarnings("deprecation") // its replacement came with Jedis 7.2
    private UnifiedJedis clusterClient() {
        return new JedisCluster(
                uri.addresses(), clientConfig(""), REDIRECTIONS, settings.commandTimeout(), poolConfig(0));
    }

    /** Creates a connection outside the pool; the client's name has the suffix. Blocks; throws what Jedis throws. */
    public Connection connection(String nameSuffix) {
        return new Connection(uri.address(), clientConfig(nameSuffix));
    }

    private GenericObjectPoolConfig<Connection> poolConfig(int kept) {
        GenericObjectPoolConfig<Connection> config = new GenericObjectPoolConfig<>();
        config.setMaxTotal(settings.maxConnections());
        config.setMaxIdle(settings.maxConnections());
        config.setMinIdle(Math.min(kept, settings.maxConnections()));
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
        return config(settings.credentials())
                .blockingSocketTimeoutMillis((int) settings.commandTimeout().toMillis())
                .user(uri.user())
                .password(uri.password())
                .database(uri.database())
                .clientName(settings.clientName() == null ? null : settings.clientName() + nameSuffix)
                .build();
    }

    /**
     * Without a limit for reports of Sentinels, which are silent until a failover. The replacements of the methods for TLS in Jedis
     * take key stores only, not a context.
     */
    @SuppressWarnings("deprecation")
    private DefaultJedisClientConfig.Builder config(@Nullable Supplier<RedisCredentials> credentials) {
        DefaultJedisClientConfig.Builder config = DefaultJedisClientConfig.builder()
                .protocol(RedisProtocol.RESP2)
                .connectionTimeoutMillis((int) settings.commandTimeout().toMillis())
                .socketTimeoutMillis((int) settings.commandTimeout().toMillis())
                // Without them, user and password apply.
                .credentialsProvider(credentials == null ? null : new UserCredentials(credentials));
        if (uri.tls()) {
            config.ssl(true)
                    .sslParameters(new SSLParameters()) // they change nothing: Jedis sets them after the handshake
                    .sslSocketFactory(new TlsSockets(settings));
        }
        return config;
    }

    /**
     * The settings of a client. What may be {@code null} is then that of the JVM, for the {@code sslContext}, or none; without
     * credentials, those of the URI apply. <em>Immutable.</em>
     */
    public record Settings(
            Duration commandTimeout,
            Duration borrowTimeout,
            int maxConnections,
            @Nullable String clientName,
            @Nullable Supplier<RedisCredentials> credentials,
            @Nullable Supplier<RedisCredentials> sentinelCredentials,
            @Nullable SSLContext sslContext,
            @Nullable SSLParameters sslParameters,
            boolean verifiesHostname) {}

    /**
     * A factory of TLS sockets with a completed handshake. With a handshake at the first command, a timeout would be paid twice:
     * Jedis retries it when it flushes the broken connection on closing. <em>Thread-safe.</em>
     */
    static final class TlsSockets extends SSLSocketFactory {
        private final SSLSocketFactory sockets;
        private final Settings settings;

        TlsSockets(Settings settings) {
            SSLContext context = settings.sslContext();
            this.sockets =
                    context == null ? (SSLSocketFactory) SSLSocketFactory.getDefault() : context.getSocketFactory();
            this.settings = settings;
        }

        @Override
        public Socket createSocket(Socket connected, String host, int port, boolean autoClose) throws IOException {
            SSLSocket socket = (SSLSocket) sockets.createSocket(connected, host, port, autoClose);
            if (settings.sslParameters() != null) {
                socket.setSSLParameters(settings.sslParameters());
            }
            SSLParameters parameters = socket.getSSLParameters(); // a copy: the others are the application's
            parameters.setEndpointIdentificationAlgorithm(settings.verifiesHostname() ? "HTTPS" : "");
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
