package io.stampedeguard.spring.boot;

import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.RedisStoreBuilder;
import java.util.function.Supplier;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslOptions;
import redis.clients.jedis.RedisCredentials;

/**
 * Where Redis is, and as whom to connect.
 *
 * @param properties the prefix of the properties that say so, for messages
 * @param uri in a form of {@link RedisStore#connect(String)}
 * @param credentials {@code null}: those of the URI, if it has any
 * @param sentinelCredentials {@code null}: none
 * @param ssl {@code null}: no TLS, or with {@code rediss} that of the JVM
 */
record RedisConnection(
        String properties,
        String uri,
        @Nullable Supplier<RedisCredentials> credentials,
        @Nullable Supplier<RedisCredentials> sentinelCredentials,
        @Nullable SslBundle ssl) {

    /** Connects with the options of a builder; an exception describes what to change. */
    RedisStore connect(RedisStoreBuilder builder) {
        if (credentials != null) {
            builder.credentials(credentials);
        }
        if (sentinelCredentials != null) {
            builder.sentinelCredentials(sentinelCredentials);
        }
        if (ssl != null) {
            builder.sslContext(ssl.createSslContext()).sslParameters(parameters(ssl.getOptions()));
        }
        try {
            return builder.connect(uri);
        } catch (StoreException failure) {
            throw StampedeConfigurationException.of(failure, remedy(failure));
        } catch (IllegalStateException tooOld) {
            throw StampedeConfigurationException.of(tooOld, "Use a newer version, or set stampede.enabled to false.");
        } catch (IllegalArgumentException malformed) {
            throw StampedeConfigurationException.of(malformed, "Correct the properties under " + properties + ".");
        }
    }

    private static SSLParameters parameters(SslOptions options) {
        SSLParameters parameters = new SSLParameters();
        if (options.getCiphers() != null) {
            parameters.setCipherSuites(options.getCiphers());
        }
        if (options.getEnabledProtocols() != null) {
            parameters.setProtocols(options.getEnabledProtocols());
        }
        return parameters;
    }

    private String remedy(StoreException failure) {
        String message = String.valueOf(failure.getMessage());
        if (message.contains("WRONGPASS") || message.contains("NOAUTH") || message.contains("AUTH failed")) {
            return "Correct " + properties + ".username and " + properties + ".password.";
        }
        return "Correct the properties under " + properties + ", or start Redis."
                + (uri.contains("-sentinel:") || uri.contains("-cluster:")
                        ? " With Sentinel or Cluster, one of the given servers has to answer when the application starts."
                        : "");
    }

    /** Without the URI, which may have a password. */
    @Override
    public String toString() {
        return "RedisConnection[" + properties + "]";
    }
}
