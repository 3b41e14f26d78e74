package io.stampedeguard.redis.internal.pubsub;

import io.stampedeguard.redis.internal.cluster.Cluster;
import io.stampedeguard.redis.internal.connect.ClientConnections;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.Pool;

/** The servers of lease notifications: one, or those of a cluster. <em>Thread-safe.</em> */
public interface NoticeServers {
    /** Returns the servers of a caller's client; {@code null} if it does not expose its connections. */
    static @Nullable NoticeServers of(UnifiedJedis client, ClientConnections connections, @Nullable Cluster cluster) {
        if (cluster != null) {
            return new ClusterServers(client, cluster);
        }
        return connections.showsOnePool() ? OneServer.of(connections::onePool) : null;
    }

    /** Opens a connection, for the caller alone, to the server that has a channel. Blocks; throws what Jedis throws. */
    NoticeConnection open(String channel);

    /** Returns the server that has a channel, {@code null} if that is not known yet. Does not block. */
    @Nullable
    Object placeOf(String channel);

    /**
     * Returns the group of a channel: the channels of one server, which can fail independently of others; by default, one group.
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

    /** A connection for messages of a server, and that server, in a form that is equal for two connections to it. */
    record NoticeConnection(Object place, Connection connection) {}

    /** A single server, or the current master according to Sentinel. <em>Thread-safe.</em> */
    record OneServer(Supplier<Connection> connections) implements NoticeServers {
        private static final String PLACE = "the server";

        static OneServer of(Supplier<Pool<Connection>> pool) {
            return new OneServer(() -> spared(pool.get()));
        }

        /** Borrows a connection, if that leaves another one for other callers. */
        static Connection spared(Pool<Connection> pool) {
            if (pool.getMaxTotal() >= 0 && pool.getMaxTotal() - pool.getNumActive() < 2) {
                throw new JedisException("the pool of " + pool.getMaxTotal() + " connections has none to spare");
            }
            return pool.getResource();
        }

        @Override
        public NoticeConnection open(String channel) {
            return new NoticeConnection(PLACE, connections.get());
        }

        @Override
        public Object placeOf(String channel) {
            return PLACE;
        }
    }

    /**
     * The masters of a cluster, each of which publishes on the channels of its own slots. Jedis knows the master of a slot; its
     * last answer is kept here, so that most watches need not borrow a connection for it. If a slot has moved, a command makes
     * Jedis look again, since it learns from commands that are redirected or fail. <em>Thread-safe.</em>
     */
    final class ClusterServers implements NoticeServers {
        private static final int SLOTS = 16_384;

        private final AtomicReferenceArray<@Nullable HostAndPort> masters = new AtomicReferenceArray<>(SLOTS);
        private final Set<Integer> doubtful = ConcurrentHashMap.newKeySet();
        private final UnifiedJedis client;
        private final Cluster cluster;

        ClusterServers(UnifiedJedis client, Cluster cluster) {
            this.client = client;
            this.cluster = cluster;
        }

        @Override
        public NoticeConnection open(String channel) {
            int slot = slot(channel);
            if (doubtful.contains(slot)) {
                lookAgain(channel);
                doubtful.remove(slot);
            }
            HostAndPort master = cluster.address(slot);
            masters.set(slot, master);
            return new NoticeConnection(master, OneServer.spared(cluster.pool(master)));
        }

        private void lookAgain(String channel) {
            try {
                client.get(bytes(channel));
            } catch (JedisDataException notAString) {
                // The right server has answered.
            }
        }

        @Override
        public @Nullable Object placeOf(String channel) {
            return masters.get(slot(channel));
        }

        @Override
        public Object groupOf(String channel) {
            return cluster.knownMaster(bytes(channel));
        }

        @Override
        public void forget(String channel) {
            forget(slot(channel));
        }

        @Override
        public void forgetAt(Object place) {
            for (int slot = 0; slot < SLOTS; slot++) {
                if (place.equals(masters.get(slot))) {
                    forget(slot);
                }
            }
        }

        private void forget(int slot) {
            masters.set(slot, null);
            doubtful.add(slot);
        }

        @Override
        public boolean isSharded() {
            return true;
        }

        private static int slot(String channel) {
            return Cluster.slot(bytes(channel));
        }

        private static byte[] bytes(String channel) {
            return channel.getBytes(StandardCharsets.ISO_8859_1);
        }
    }
}
