package io.stampedeguard.spring.boot;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Cluster;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Node;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Sentinel;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Standalone;
import org.springframework.boot.ssl.SslBundle;
import redis.clients.jedis.DefaultRedisCredentials;
import redis.clients.jedis.RedisCredentials;

/**
 * The connection that Boot's own Redis module would use: of {@code spring.data.redis.*}, Docker Compose, or a {@code
 * @ServiceConnection}. The only class that needs that module.
 */
final class BootConnection {
    private static final String PROPERTIES = "spring.data.redis";

    private BootConnection() {}

    static RedisConnection of(DataRedisConnectionDetails details) {
        SslBundle ssl = details.getSslBundle();
        Sentinel sentinel = details.getSentinel();
        return new RedisConnection(
                PROPERTIES,
                (ssl == null ? "redis" : "rediss") + address(details),
                details.getPassword() == null ? null : () -> credentials(details.getUsername(), details.getPassword()),
                sentinel == null || sentinel.getPassword() == null
                        ? null
                        : () -> credentials(sentinel.getUsername(), sentinel.getPassword()),
                ssl);
    }

    private static String address(DataRedisConnectionDetails details) {
        Sentinel sentinel = details.getSentinel();
        Cluster cluster = details.getCluster();
        Standalone server = details.getStandalone();
        if (sentinel != null) {
            return "-sentinel://" + addresses(sentinel.getNodes()) + "/" + encoded(sentinel.getMaster()) + "/"
                    + sentinel.getDatabase();
        }
        if (cluster != null) {
            return "-cluster://" + addresses(cluster.getNodes());
        }
        if (server != null) {
            return "://" + address(server.getHost(), server.getPort()) + "/" + server.getDatabase();
        }
        throw new StampedeConfigurationException(
                "The caches need a single Redis server, Sentinel, or Cluster, and " + PROPERTIES
                        + " describes something else, such as a static set of replicas.",
                "Set stampede.redis.url to the address of the master.",
                null);
    }

    private static String addresses(List<Node> nodes) {
        return nodes.stream().map(node -> address(node.host(), node.port())).collect(Collectors.joining(","));
    }

    private static String address(String host, int port) {
        return (host.indexOf(':') == -1 ? host : '[' + host + ']') + ':' + port;
    }

    private static String encoded(String master) {
        return URLEncoder.encode(master, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Asked for again with each connection: details may change them. */
    private static RedisCredentials credentials(@Nullable String user, @Nullable String password) {
        return new DefaultRedisCredentials(user, password);
    }
}
