package io.stampedeguard.redis.internal.pubsub;

import io.stampedeguard.redis.internal.cluster.Cluster;
import io.stampedeguard.redis.internal.connect.ClientConnections;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.UnifiedJedis;

/** The servers of lease notifications: one, or those of a cluster. <em>Thread-safe.</em> */
public interface NoticeServers {
    /** Returns the servers of a caller's client; {@code null} if it does not expose its connections. */
    static @Nullable NoticeServers of(UnifiedJedis client, ClientConnections connections, @Nullable Cluster cluster) {
        if (cluster != null) {
            return new ClusterServers(client, cluster);
        }
        return connections.showsOnePool() ? OneServer.of(connections::onePool) : null;
    }

    /**
     * Opens a connection to the server that has a channel. Blocks; throws what Jedis throws.
     *
     * @param channel the channel's name
     * @return the connection, for the caller alone, and its server
     */
    NoticeConnection open(String channel);

    /** Returns the server that has a channel, {@code null} if that is not known yet. Does not block. */
    @Nullable
    Object placeOf(String channel);

    /**
     * Returns the group of a channel: the channels of one server, which can fail independently of others. Does not block.
     *
     * @return the same for all channels, unless overridden
     */
    default Object groupOf(String channel) {
        return "";
    }

    /** Notes that a channel has moved. Does not block. */
    default void forget(String channel) {}

    /** Notes that a server is gone. Does not block. */
    default void forgetAt(Object place) {}

    /** Returns whether only the server of its slot knows a channel. */
    default boolean isSharded() {
        return false;
    }
}
