package io.stampedeguard.redis.internal.subscribe;

import io.stampedeguard.redis.internal.cluster.Cluster;
import io.stampedeguard.redis.internal.cluster.Cluster.SlotRange;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.redis.internal.connect.ClientConnections;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.Pool;

/**
 * The servers that send messages: one, or the masters of a cluster. Each is named by an object that is equal for two connections
 * to it. <em>Thread-safe.</em>
 */
public interface Servers {
    /** Returns a server to which the connections are opened in this way, and authenticate with that. */
    static Servers at(Supplier<Connection> connections, Supplier<List<String>> login) {
        return new OneServer(() -> Set.of(OneServer.NAME), server -> connections.get(), server -> login.get());
    }

    /**
     * Returns the servers of a caller's client, with connections like those of its pools, which do not count as connections of a
     * pool; {@code null} if it does not expose the pools.
     */
    static @Nullable Servers of(
            UnifiedJedis client, ClientConnections connections, @Nullable Cluster cluster, RedisKeys keys) {
        if (cluster != null) {
            return new ClusterServers(client, cluster, keys);
        }
        return connections.showsOnePool()
                ? new OneServer(
                        () -> connections.pools().keySet(),
                        server -> ClientConnections.beside(ofMaster(connections, server)),
                        server -> ClientConnections.login(ofMaster(connections, server)))
                : null;
    }

    private static Pool<Connection> ofMaster(ClientConnections connections, Object server) {
        Pool<Connection> pool = connections.pools().get(server);
        if (pool == null) {
            throw new JedisException(server + " is no longer the master");
        }
        return pool;
    }

    /** Opens a connection to a server, for the caller alone. Blocks; throws what Jedis throws. */
    Connection open(Object server);

    /** Returns the arguments of {@code AUTH} for a new connection; empty for none. Calls user code; throws what it throws. */
    default List<String> login(Object server) {
        return List.of();
    }

    /**
     * Returns the current servers, at least one, and the parts of the keys that each has. The keys of {@code cache} may be read for
     * this. Blocks; throws what Jedis throws.
     */
    Map<?, BitSet> current(String cache);

    /** Returns the number of parts into which the keys are divided. A part is at one server, or at a few. */
    default int parts() {
        return 1;
    }

    default int partOf(String key) {
        return 0;
    }

    /** Returns the server that has a channel. Blocks; throws what Jedis throws. */
    Object find(String channel);

    /** Returns the server that has a channel, as far as known; {@code null} if it is not. Does not block. */
    @Nullable
    Object known(String channel);

    /**
     * Returns the group of a channel: the channels of one server, which can fail independently of others; by default, one group.
     */
    default Object groupOf(String channel) {
        return "";
    }

    /** Notes that a channel has moved. Does not block. */
    default void moved(String channel) {}

    /** Notes that a connection to a server has ended. Does not block. */
    default void lost(Object server) {}

    /** Returns whether there are channels that only the server of their slot knows. */
    default boolean isSharded() {
        return false;
    }

    /** A single server, or the current master according to Sentinel: {@code names} returns its name. */
    record OneServer(
            Supplier<? extends Set<?>> names,
            Function<Object, Connection> connections,
            Function<Object, List<String>> logins)
            implements Servers {
        private static final String NAME = "the server";

        @Override
        public Connection open(Object server) {
            return connections.apply(server);
        }

        @Override
        public List<String> login(Object server) {
            return logins.apply(server);
        }

        @Override
        public Map<?, BitSet> current(String cache) {
            return names.get().stream()
                    .collect(Collectors.toMap(server -> server, server -> BitSet.valueOf(new long[] {1})));
        }

        @Override
        public Object find(String channel) {
            return known(channel);
        }

        @Override
        public Object known(String channel) {
            return names.get().iterator().next();
        }
    }

    /**
     * The masters of a cluster that have slots, named by their addresses. Jedis learns about them from commands that are redirected
     * or fail, and a listener sends none. So a member is asked for all of them, each time another one; and a command makes Jedis
     * look again for a master that it does not know yet, that has cut its connection, or whose slot has moved. A part of the keys is
     * a range of slots. <em>Thread-safe.</em>
     */
    final class ClusterServers implements Servers {
        private static final int PARTS = 64;
        private static final int SLOTS_OF_PART = Cluster.SLOTS / PARTS;

        /** The slots and the masters for which Jedis has to look again. */
        private final Set<Object> doubtful = ConcurrentHashMap.newKeySet();

        private final UnifiedJedis client;
        private final Cluster cluster;
        private final RedisKeys keys;

        ClusterServers(UnifiedJedis client, Cluster cluster, RedisKeys keys) {
            this.client = client;
            this.cluster = cluster;
            this.keys = keys;
        }

        @Override
        public Connection open(Object server) {
            return ClientConnections.beside(cluster.pool(server));
        }

        @Override
        public List<String> login(Object server) {
            return ClientConnections.login(cluster.pool(server));
        }

        @Override
        public int parts() {
            return PARTS;
        }

        @Override
        public int partOf(String key) {
            return Cluster.slot(keys.value(key)) / SLOTS_OF_PART;
        }

        @Override
        public Map<?, BitSet> current(String cache) {
            List<SlotRange> ranges = cluster.ranges();
            if (ranges.isEmpty()) {
                throw new JedisException("the cluster has no master yet");
            }
            Map<String, BitSet> servers = new HashMap<>();
            for (SlotRange range : ranges) {
                servers.computeIfAbsent(range.address(), each -> new BitSet(PARTS))
                        .set(range.first() / SLOTS_OF_PART, range.last() / SLOTS_OF_PART + 1);
                if (!cluster.pools().containsKey(range.address())) {
                    // The permissions may not include keys of another cache.
                    lookAgain(range.keyIn(number -> keys.value(cache + ":" + number)));
                }
            }
            return servers;
        }

        /** Makes Jedis find the master of a key. */
        private void lookAgain(byte[] key) {
            try {
                client.get(key);
            } catch (JedisDataException refused) {
                // The right server has answered.
            }
        }

        @Override
        public Object find(String channel) {
            int slot = slot(channel);
            HostAndPort server = cluster.address(slot);
            if (doubtful.contains(slot) || doubtful.contains(server)) {
                lookAgain(bytes(channel));
                doubtful.remove(slot);
                doubtful.remove(server);
                server = cluster.address(slot);
            }
            return server;
        }

        @Override
        public @Nullable Object known(String channel) {
            int slot = slot(channel);
            HostAndPort server = cluster.knownAddress(slot);
            return server == null || doubtful.contains(slot) || doubtful.contains(server) ? null : server;
        }

        @Override
        public Object groupOf(String channel) {
            return cluster.knownMaster(bytes(channel));
        }

        @Override
        public void moved(String channel) {
            doubtful.add(slot(channel));
        }

        @Override
        public void lost(Object server) {
            doubtful.add(server);
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
