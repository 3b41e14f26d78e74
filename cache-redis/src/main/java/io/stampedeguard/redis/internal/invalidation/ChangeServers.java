package io.stampedeguard.redis.internal.invalidation;

import io.stampedeguard.redis.internal.cluster.Cluster;
import io.stampedeguard.redis.internal.cluster.Cluster.SlotRange;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.redis.internal.connect.ClientConnections;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.Pool;

/** The servers at which changes are made: one, or the masters of a cluster. <em>Thread-safe.</em> */
public interface ChangeServers {
    /** Returns the servers of a caller's client; {@code null} if it does not expose its connections. */
    static @Nullable ChangeServers of(
            UnifiedJedis client, ClientConnections connections, @Nullable Cluster cluster, RedisKeys keys) {
        if (cluster != null) {
            return new ClusterMasters(client, cluster, keys);
        }
        return connections.showsOnePool()
                ? new SingleServer(() -> connections.pools().keySet(), place -> besideMaster(connections, place))
                : null;
    }

    private static Connection besideMaster(ClientConnections connections, Object place) {
        Pool<Connection> pool = connections.pools().get(place);
        if (pool == null) {
            throw new JedisException(place + " is no longer the master");
        }
        return beside(pool);
    }

    static ChangeServers at(Supplier<Connection> connections) {
        return new SingleServer(() -> Set.of("the server"), place -> connections.get());
    }

    /**
     * Returns the current servers, at least one, each in a stable form, and the parts of the keys that each has: changes must be
     * received from all of them. The keys of {@code cache} may be read for this. May block; throws what Jedis throws.
     */
    Map<?, BitSet> places(String cache);

    /** Returns the number of parts into which the keys are divided. A part is at one server, or at a few. */
    default int parts() {
        return 1;
    }

    default int partOf(String key) {
        return 0;
    }

    /** Opens a connection to one of them for the caller alone. Blocks; throws what Jedis throws. */
    Connection open(Object place);

    /** Creates a connection like those of a pool, which does not count as one of the pool. */
    static Connection beside(Pool<Connection> pool) {
        try {
            return pool.getFactory().makeObject().getObject();
        } catch (RuntimeException failure) {
            throw failure;
        } catch (Exception declared) {
            throw new JedisException(declared);
        }
    }

    /**
     * A single server, or the current master according to Sentinel: {@code current} returns its place, {@code connections}
     * connects.
     */
    record SingleServer(Supplier<? extends Set<?>> current, Function<Object, Connection> connections)
            implements ChangeServers {
        @Override
        public Map<?, BitSet> places(String cache) {
            return current.get().stream()
                    .collect(Collectors.toMap(place -> place, place -> BitSet.valueOf(new long[] {1})));
        }

        @Override
        public Connection open(Object place) {
            return connections.apply(place);
        }
    }

    /**
     * The masters of a cluster that have slots. Jedis learns about them from commands that are redirected or fail, and a listener
     * sends none. So a member is asked, each time another one. If Jedis does not know a master yet, a command that will be
     * redirected makes it learn it. A part of the keys is a range of slots. <em>Thread-safe.</em>
     */
    final class ClusterMasters implements ChangeServers {
        private static final int PARTS = 64;
        private static final int SLOTS_OF_PART = Cluster.SLOTS / PARTS;

        private final UnifiedJedis client;
        private final Cluster cluster;
        private final RedisKeys keys;

        ClusterMasters(UnifiedJedis client, Cluster cluster, RedisKeys keys) {
            this.client = client;
            this.cluster = cluster;
            this.keys = keys;
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
        public Map<?, BitSet> places(String cache) {
            List<SlotRange> ranges = cluster.ranges();
            if (ranges.isEmpty()) {
                throw new JedisException("the cluster has no master yet");
            }
            Map<String, BitSet> places = new HashMap<>();
            for (SlotRange range : ranges) {
                places.computeIfAbsent(range.address(), each -> new BitSet(PARTS))
                        .set(range.first() / SLOTS_OF_PART, range.last() / SLOTS_OF_PART + 1);
                if (!cluster.pools().containsKey(range.address())) {
                    // The permissions may not include keys of another cache.
                    makeKnown(range.keyIn(number -> keys.value(cache + ":" + number)));
                }
            }
            return places;
        }

        private void makeKnown(byte[] key) {
            try {
                client.get(key);
            } catch (JedisDataException refused) {
                // The right server has answered.
            }
        }

        @Override
        public Connection open(Object place) {
            return ChangeServers.beside(cluster.pool(place));
        }
    }
}
