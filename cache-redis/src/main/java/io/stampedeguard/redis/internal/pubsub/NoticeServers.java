package io.stampedeguard.redis.internal.pubsub;

import io.stampedeguard.redis.internal.cluster.Cluster;
import io.stampedeguard.redis.internal.connect.ClientConnections;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.UnifiedJedis;

/** The servers that tell when leases end: one, or those of a cluster. <em>Thread-safe.</em> */
public interface NoticeServers {
    /** Finds the servers of a client of the caller's; {@code null} if it does not show its connections. */
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
     * @return the connection, for the caller alone, and where it leads
     */
    NoticeConnection open(String channel);

    /** Returns the server that has a channel, {@code null} if that is not known yet. Does not block. */
    @Nullable
    Object placeOf(String channel);

    /**
     * Returns what channels have in common of which one server may fail while the others can be opened. Does not block.
     *
     * @return the same for all channels, unless overridden
     */
    default Object groupOf(String channel) {
        return "";
    }

    /** Is told that a channel is no longer where it was. Does not block. */
    default void forget(String channel) {}

    /** Is told that a server has gone. Does not block. */
    default void forgetAt(Object place) {}

    /** Whether a channel is known to the one server only that has its slot. */
    default boolean isSharded() {
        return false;
    }
}
